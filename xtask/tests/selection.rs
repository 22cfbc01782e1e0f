//! What `cargo xtask test` selects is what the manifest of the workspace says. `cargo xtask test` also builds this
//! program: with it, the developer commands have the features of the tests' dependencies, and share their products.

#![expect(unreachable_pub, reason = "the module is the one of the program")]
#[path = "../src/selection.rs"]
mod selection;

use std::collections::BTreeSet;
use std::path::Path;

use toml::Table;

/// Returns the strings of an array.
fn strings<'a>(table: &'a Table, key: &str) -> BTreeSet<&'a str> {
    let items = table[key].as_array().unwrap();
    items.iter().filter_map(|item| item.as_str()).collect()
}

#[test]
fn wgpu_is_selected_beside_the_default_members() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let read = |path: &str| -> Table {
        std::fs::read_to_string(root.join(path).join("Cargo.toml")).unwrap().parse().unwrap()
    };
    let manifest = read("");
    let workspace = manifest["workspace"].as_table().unwrap();
    let mut selected = strings(workspace, "default-members");
    selected.insert("frontends/wgpu");
    let left_out = strings(workspace, "members").difference(&selected).copied().collect::<Vec<_>>();
    let names: Vec<Table> = left_out.iter().map(|folder| read(folder)).collect();
    let names: BTreeSet<_> =
        names.iter().map(|manifest| manifest["package"]["name"].as_str().unwrap()).collect();
    let arguments = selection::arguments(true);
    let excluded = arguments.windows(2).filter(|pair| pair[0] == "--exclude");
    assert_eq!(excluded.map(|pair| pair[1]).collect::<BTreeSet<_>>(), names);
    assert!(arguments.contains(&"--workspace"));
    let default = selection::arguments(false);
    assert!(default.iter().all(|it| *it != "--workspace" && !it.contains("wgpu")), "{default:?}");
    assert!(default.iter().any(|it| it.contains("xtask/commands")), "{default:?}");
    assert!(selection::has_all(true), "`--all` asks for every check");
}
