//! The order of the rooms (top-level modules) within each crate, and the imports against it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::imports::{self, Import, ROOT, Source};
use crate::shell;

/// A crate with an order of its rooms.
struct Rooms {
    folder: &'static str,
    order: Order,
}

/// The rule for imports between rooms. With both rules, `lib.rs` is above every room: it
/// re-exports, and a room that imports an item defined in `lib.rs` imports upward.
enum Order {
    /// Ranks from the top. A room imports from lower ranks only; every room has a rank.
    Ranks(&'static [&'static [&'static str]]),
    /// Any import is allowed that does not form a circle.
    NoCircle,
}

const fn rooms(folder: &'static str, order: Order) -> Rooms {
    Rooms { folder, order }
}

/// This file, for messages.
const TABLE: &str = "xtask/src/layers/rooms.rs";

const CRATES: &[Rooms] = &[
    rooms(
        "os-shim",
        Order::Ranks(&[
            &["os"],
            &["threads"],
            &["pool"],
            &["shared"],
            &["boxed", "events", "vec"],
            &["memory", "options"],
            &["budget", "clock", "log", "math", "sharing", "simd", "sync", "words"],
        ]),
    ),
    rooms(
        "formats",
        Order::Ranks(&[
            &["rect", "texel"],
            &["block"],
            &["bytes", "depth", "grey", "planar"],
            &["lanes"],
            &["packed", "plain"],
            &["rows", "srgb", "yuv"],
            &["error"],
            &["format"],
            &["channel"],
            &["features", "index", "simd"],
        ]),
    ),
    rooms(
        "tgsi",
        Order::Ranks(&[
            &["transform"],
            &["builder", "compile", "scan"],
            &["exec", "sanity", "text", "token"],
            &["shader"],
            &["format_name", "instruction"],
            &["declaration", "property"],
            &["opcode", "position", "processor", "register", "texture_target"],
            &["math", "names"],
        ]),
    ),
    rooms(
        "pipe-core",
        Order::Ranks(&[
            &["wrap"],
            &["auxiliary"],
            &["screen"],
            &["context"],
            &["blit", "desktop", "error"],
            &["state", "surface", "draw_info", "transfer", "panel"],
            &["resource", "caps", "driver_query"],
            &["flags", "shader", "primitive", "query", "sharing", "warnings"],
            &["numbered", "color", "region", "handle"],
            &["key", "limits", "diagnostics"],
            &["wire"],
        ]),
    ),
    rooms(
        "draw",
        Order::Ranks(&[
            &["direct", "pipeline"],
            &["chain", "indices"],
            &["tail"],
            &["primitive"],
            &["shade", "translate"],
            &["fetch", "groups", "project", "section", "segment", "user_clip"],
            &["assemble", "attribute"],
            &["outputs", "state", "stop", "vertex"],
            &["error", "index", "outcode", "sink", "statistics"],
            &["features", "limits", "neighbours", "tessellator"],
        ]),
    ),
    rooms(
        "raster",
        Order::Ranks(&[
            &["screen"],
            &["calls"],
            &["context"],
            &["submit"],
            &["record"],
            &["state"],
            &["direct", "frame", "grid"],
            &["fragment"],
            &["span"],
            &["shader"],
            &["scene"],
            &["blit", "clear", "device"],
            &["resource"],
            &["depth", "memory", "output", "texture", "tile"],
            &["setup"],
            &["checked", "debug", "lanes"],
            &["profile"],
            &["budget", "fixed", "generator", "report"],
            &["features"],
        ]),
    ),
    rooms(
        "reference",
        Order::Ranks(&[
            &["screen"],
            &["context"],
            &["grid", "paint"],
            &["reach"],
            &["memory", "output", "shader", "texture"],
            &["device", "target"],
            &["resource", "setup", "streamed"],
            &["nudge"],
        ]),
    ),
    rooms(
        "cso-cache",
        Order::Ranks(&[
            &["save"],
            &["set_memory"],
            &["set"],
            &["context"],
            &["cache", "state"],
            &["slots"],
        ]),
    ),
    rooms(
        "frontends/naga",
        Order::Ranks(&[
            &["owned"],
            &["module"],
            &["interface"],
            &["entry"],
            &["call"],
            &["statement"],
            &["expression"],
            &["image", "math"],
            &["texture", "operator", "half"],
            &["memory"],
            &["access", "unroll"],
            &["translator"],
            &["declarations", "place", "slots"],
            &["code", "format", "types"],
            &["error"],
        ]),
    ),
    rooms(
        "codegen",
        Order::Ranks(&[
            &["code"],
            &["emit"],
            &["registers"],
            &["segments"],
            &["recipe", "executable"],
            &["arena"],
            &["assembler"],
            &["instructions"],
        ]),
    ),
    rooms("boards/scenes", Order::NoCircle),
    rooms("boards/support", Order::NoCircle),
    rooms("tools/compare", Order::NoCircle),
    rooms("tools/inspect", Order::NoCircle),
    rooms("boards/host", Order::NoCircle),
    rooms("tools/bench", Order::NoCircle),
    rooms("frontends/vtest", Order::NoCircle),
    rooms(
        "kit/c",
        Order::Ranks(&[&["calls"], &["object", "shader"], &["data"], &["bare", "error"]]),
    ),
    rooms(
        "frontends/wgpu",
        Order::Ranks(&[
            &["hal"],
            &["run"],
            &["command"],
            &["pipeline"],
            &["shader"],
            &["bind"],
            &["buffer"],
            &["memory", "query", "sampler", "texture"],
            &["caps", "machine"],
            &["live"],
            &["budget", "formats", "options", "state"],
        ]),
    ),
];

/// Returns the folders and ranks of the crates that have ranks.
pub fn ranked() -> impl Iterator<Item = (&'static str, &'static [&'static [&'static str]])> {
    CRATES.iter().filter_map(|rooms| match rooms.order {
        Order::Ranks(ranks) => Some((rooms.folder, ranks)),
        Order::NoCircle => None,
    })
}

/// Checks every crate of the table; returns one line for each import against its order.
///
/// # Errors
/// The source cannot be read.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for rooms in CRATES {
        let source = read(root, rooms.folder)?;
        let mismatches = rooms.order.mismatches(&source).into_iter();
        wrong.extend(mismatches.map(|line| format!("{}: {line}", rooms.folder)));
        for (import, rule) in rooms.order.against(&source) {
            wrong.push(describe(rooms.folder, import, &rule));
        }
    }
    Ok(wrong)
}

/// Prints every import from one room of a crate into another, and the circles. Imports against the
/// order are marked with the rule.
///
/// # Errors
/// The crate is not in the table, or its source cannot be read.
pub fn list(folder: &str) -> Result<()> {
    let Some(rooms) = CRATES.iter().find(|rooms| rooms.folder == folder) else {
        let known: Vec<&str> = CRATES.iter().map(|rooms| rooms.folder).collect();
        bail!("no order of rooms for `{folder}`, expected one of: {}", known.join(", "));
    };
    let source = read(&shell::root(), folder)?;
    let against: BTreeMap<&Import, String> = rooms.order.against(&source).into_iter().collect();
    for import in &source.imports {
        match against.get(import) {
            Some(rule) => println!("{}", describe(folder, import, rule)),
            None => println!("{}", describe(folder, import, "in order")),
        }
    }
    rooms.order.mismatches(&source).iter().for_each(|line| println!("{folder}: {line}"));
    let edges = edges(&source.imports);
    for circle in circles(&edges) {
        println!("{folder}: rooms in one circle: {}", circle.join(", "));
    }
    println!(
        "{folder}: {} rooms, {} imports between them, {} against the order",
        source.rooms.len(),
        source.imports.len(),
        against.len()
    );
    Ok(())
}

fn read(root: &Path, folder: &str) -> Result<Source> {
    let folder_path = root.join(folder);
    imports::read(&|file| std::fs::read_to_string(folder_path.join(file)).ok())
        .with_context(|| folder.to_owned())
}

fn describe(folder: &str, import: &Import, rule: &str) -> String {
    let Import { file, line, from, to, path } = import;
    format!("{folder}/{}:{line}: {from} → {to} ({path}): {rule}", file.display())
}

impl Order {
    /// Returns the imports against the order, with the broken rule.
    fn against<'s>(&self, source: &'s Source) -> Vec<(&'s Import, String)> {
        let edges = edges(&source.imports);
        let rule = |import: &Import| {
            let Import { from, to, .. } = import;
            if to == ROOT {
                return Some(format!("upward, {ROOT} is above every room"));
            }
            match self {
                Order::NoCircle => {
                    let back = way(&edges, to, from)?;
                    Some(format!("in a circle, {from} → {}", back.join(" → ")))
                }
                Order::Ranks(ranks) => {
                    let rank = |room: &str| ranks.iter().position(|rank| rank.contains(&room));
                    match (rank(from)?, rank(to)?) {
                        (a, b) if a > b => Some(format!("upward, {to} is above {from}")),
                        (a, b) if a == b => Some(format!("sideways, {to} is beside {from}")),
                        _ => None,
                    }
                }
            }
        };
        source.imports.iter().filter_map(|import| Some((import, rule(import)?))).collect()
    }

    /// Returns a line for each room without a rank, and for each name in the ranks without a room.
    fn mismatches(&self, source: &Source) -> Vec<String> {
        let Order::Ranks(ranks) = self else { return Vec::new() };
        let ranked: BTreeSet<&str> = ranks.iter().copied().flatten().copied().collect();
        let unranked = source.rooms.iter().filter(|room| !ranked.contains(room.as_str()));
        let absent = ranked.iter().filter(|room| !source.rooms.contains(**room));
        let unranked =
            unranked.map(|room| format!("room {room} has no rank: give it one in {TABLE}"));
        unranked
            .chain(absent.map(|room| format!("no room {room}: remove it from {TABLE}")))
            .collect()
    }
}

/// The rooms that each room imports from.
type Edges<'i> = BTreeMap<&'i str, BTreeSet<&'i str>>;

fn edges(imports: &[Import]) -> Edges<'_> {
    let mut edges = Edges::new();
    for Import { from, to, .. } in imports {
        edges.entry(from).or_default().insert(to);
    }
    edges
}

/// Returns the shortest path from one room to another along imports, including both ends.
fn way<'i>(edges: &Edges<'i>, from: &'i str, to: &str) -> Option<Vec<&'i str>> {
    let mut ways: BTreeMap<&str, Vec<&'i str>> = BTreeMap::from([(from, vec![from])]);
    let mut waiting = VecDeque::from([from]);
    while let Some(room) = waiting.pop_front() {
        if room == to {
            return ways.remove(room);
        }
        for next in edges.get(room).into_iter().flatten() {
            if !ways.contains_key(next) {
                let longer = [&ways[room][..], &[*next]].concat();
                ways.insert(next, longer);
                waiting.push_back(next);
            }
        }
    }
    None
}

/// Returns the sets of rooms that all reach each other.
fn circles<'i>(edges: &Edges<'i>) -> Vec<Vec<&'i str>> {
    let mut circles: Vec<Vec<&str>> = Vec::new();
    for room in edges.keys().copied() {
        if circles.iter().flatten().any(|other| *other == room) {
            continue;
        }
        let both =
            |other: &&str| way(edges, room, other).is_some() && way(edges, other, room).is_some();
        let circle: Vec<&str> = edges.keys().copied().filter(both).collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANKS: Order = Order::Ranks(&[&["top"], &["left", "right"], &["low"]]);

    /// Returns a crate with the rooms top, left, right and low; `room` has this text.
    fn source(room: &str, text: &str) -> Source {
        let lib = "mod left; mod low; mod right; mod top; pub use right::Gauge; \
                   pub use low::*; pub struct Own; pub use formats::Format;";
        imports::read(&|file: &Path| {
            let file = file.to_str()?;
            let stem = file.strip_prefix("src/")?.strip_suffix(".rs")?;
            match stem {
                "lib" => Some(lib.into()),
                _ if stem == room => Some(text.into()),
                "low" => Some("pub struct Depth;".into()),
                "left" | "right" | "top" => Some(String::new()),
                _ => None,
            }
        })
        .unwrap()
    }

    /// Returns line, room and first word of the rule for all errors in a room with this text.
    fn wrong(order: &Order, room: &str, text: &str) -> Vec<(usize, String, String)> {
        let source = source(room, text);
        let against = order.against(&source).into_iter();
        against
            .map(|(import, rule)| {
                assert_eq!(import.from, room);
                let rule = rule.split(',').next().unwrap_or_default().to_owned();
                (import.line, import.to.clone(), rule)
            })
            .collect()
    }

    fn one(line: usize, to: &str, rule: &str) -> Vec<(usize, String, String)> {
        vec![(line, to.into(), rule.into())]
    }

    #[test]
    fn an_import_downward_is_in_order() {
        assert_eq!(wrong(&RANKS, "top", "use crate::{left::A, low};\nuse super::Depth;"), []);
        assert_eq!(source("top", "use crate::{left::A, low};\nuse super::Depth;").imports.len(), 3);
        assert_eq!(wrong(&RANKS, "low", "use formats::x; use crate::Format; use core::mem;"), []);
    }

    #[test]
    fn an_import_upward_or_sideways_is_found_wherever_it_stands() {
        for text in [
            "use crate::top::A;",
            "use crate::{low, top::{A, B}};",
            "use super::top;",
            "use super::{low::X, top::*};",
            "fn f() { use crate::top::A; }",
            "fn f(a: &crate::top::A) {}",
            "fn f() -> u32 { super::top::count() }",
            "mod inner { use super::super::top::A; }",
            "mod inner { fn f() { let _ = crate::top::A; } }",
            "fn f() { assert!(crate::top::is()); }",
            "macro_rules! m { () => { $crate::top::A } }",
            "impl crate::top::T for u8 {}",
            "fn f(x: u8) { match x { crate::top::ONE => {} _ => {} } }",
        ] {
            assert_eq!(wrong(&RANKS, "left", text), one(1, "top", "upward"), "{text}");
        }
        assert_eq!(wrong(&RANKS, "left", "\n\nuse crate::right::A;"), one(3, "right", "sideways"));
    }

    #[test]
    fn re_exports_of_the_root_count_for_their_room() {
        assert_eq!(wrong(&RANKS, "left", "use crate::Gauge;"), one(1, "right", "sideways"));
        let through_glob = source("left", "fn f() -> crate::Depth {}");
        assert_eq!(through_glob.imports[0].to, "low");
        assert_eq!(wrong(&RANKS, "left", "use super::Own;"), one(1, ROOT, "upward"));
        assert_eq!(wrong(&RANKS, "left", "use crate::*;"), one(1, ROOT, "upward"));
    }

    #[test]
    fn tests_may_look_anywhere() {
        for text in [
            "#[cfg(test)] mod tests { use crate::top::A; }",
            "#[cfg(all(test, feature = \"x\"))] use crate::top::A;",
            "#[cfg(test)] fn f(a: crate::top::A) {}",
            "impl X { #[cfg(test)] fn f(a: crate::top::A) {} }",
            "pub(in crate::top) struct A; /// [`crate::top::A`]\nstruct B;",
        ] {
            assert_eq!(wrong(&RANKS, "left", text), [], "{text}");
        }
        let any = "#[cfg(any(test, feature = \"x\"))] use crate::top::A;";
        assert_eq!(wrong(&RANKS, "left", any), one(1, "top", "upward"));
    }

    #[test]
    fn a_circle_names_its_rooms() {
        let read = |file: &Path| match file.to_str()? {
            "src/lib.rs" => Some("mod a; mod b; mod c; mod d;".to_owned()),
            "src/a/mod.rs" => Some("mod deep;".into()),
            "src/a/deep.rs" => Some("use super::super::b::B;".into()),
            "src/b.rs" => Some("use crate::c;".into()),
            "src/c.rs" => Some("fn f() { crate::a::g() }\nuse crate::d::D;".into()),
            "src/d.rs" => Some(String::new()),
            _ => None,
        };
        let source = imports::read(&read).unwrap();
        let against = Order::NoCircle.against(&source);
        let lines: Vec<String> = against.iter().map(|(it, rule)| describe("x", it, rule)).collect();
        assert_eq!(
            lines,
            [
                "x/src/a/deep.rs:1: a → b (crate::b::B): in a circle, a → b → c → a",
                "x/src/b.rs:1: b → c (crate::c): in a circle, b → c → a → b",
                "x/src/c.rs:1: c → a (crate::a::g): in a circle, c → a → b → c",
            ]
        );
        assert_eq!(circles(&edges(&source.imports)), [["a", "b", "c"]]);
    }

    #[test]
    fn every_room_has_a_rank_and_every_rank_has_rooms() {
        let source = imports::read(&|file| {
            (file == Path::new("src/lib.rs"))
                .then(|| "mod top {} mod left {} mod new {}".to_owned())
        });
        let lines = RANKS.mismatches(&source.unwrap()).join("\n");
        assert!(lines.starts_with("room new has no rank: give it one in "), "{lines}");
        assert!(lines.contains("\nno room low: remove it from "), "{lines}");
        assert_eq!(lines.lines().count(), 3, "right is absent too: {lines}");
        let empty = Source { rooms: BTreeSet::new(), imports: Vec::new() };
        assert!(Order::NoCircle.mismatches(&empty).is_empty());
    }

    #[test]
    fn source_that_does_not_parse_is_an_error_with_its_place() {
        let error = imports::read(&|_| Some("mod a {\n fn }".to_owned())).err().unwrap();
        assert!(error.to_string().starts_with("src/lib.rs:2: "), "{error}");
        assert!(imports::read(&|_| None).is_err());
    }
}
