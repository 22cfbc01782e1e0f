//! `cargo xtask size`: compares flash and RAM of each firmware with its budget.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};

use crate::board::{self, Board, Budget};
use crate::table::Table;
use crate::{calls, features, flash_map, rp2350, shell, toolchain};

/// Builds every firmware and compares its size with board.toml.
#[derive(Args)]
pub struct Options {
    /// These boards instead of all.
    pub boards: Vec<String>,
    /// Instead, measure the flash that each driver feature adds to the smallest firmware. Takes
    /// minutes.
    #[arg(long, conflicts_with = "boards")]
    pub features: bool,
    /// Instead, show the callers that keep functions in the flash of these boards: functions with
    /// this part in their path (a crate, a module, a function). Here and in reports, `starter` and
    /// `direct` count as boards.
    #[arg(long, value_name = "PART", requires = "boards")]
    pub why: Option<String>,
    /// Instead, draw the flash of these boards by crate and source file.
    #[arg(long, requires = "boards", conflicts_with = "why")]
    pub report: bool,
    /// Take panics that are gone out of the boards' lists; of all boards, write the table of docs/performance.md.
    #[arg(long)]
    pub accept: bool,
}

/// The size of an image, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Code, constants and initial values, mesh and texture data apart.
    pub flash: u64,
    /// Mesh and texture data.
    pub assets: u64,
    /// Statics, the heap's region among them.
    pub statics: u64,
    /// The stack, as the linker script reserves it.
    pub stack: u64,
    /// The part of the flash that formats text and reports panics.
    pub panics: u64,
}

impl Size {
    /// Returns the RAM: statics and stack.
    pub fn ram(&self) -> u64 {
        self.statics + self.stack
    }
}

/// The mangled paths of meshes and textures: the data that `cargo xtask assets` generates, and a
/// computed texture. They occur in both mangling schemes.
pub const ASSETS: [&str; 2] = ["14gallium_scenes4data", "14gallium_scenes5asset14CHECKER_TEXELS"];

/// Mangled paths of code that only panics need.
const PANIC_MODULES: [&str; 3] = ["4core3fmt", "4core9panicking", "13panic_handler"];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if options.features {
        return features::run(options.accept);
    }
    if let Some(part) = &options.why {
        return options.boards.iter().try_for_each(|name| why(name, part));
    }
    if options.report {
        return options.boards.iter().try_for_each(|name| flash_map::write(name, &image(name)?));
    }
    let all = options.boards.is_empty();
    let boards = match all {
        true => board::all()?,
        false => options.boards.iter().map(|name| board::find(name)).collect::<Result<_>>()?,
    };
    let mut rows = Vec::new();
    if all {
        for example in EXAMPLES {
            for target in EXAMPLE_TARGETS {
                rows.push(example.measure(target, "")?);
            }
        }
    }
    for board in &boards {
        for target in board.targets() {
            let board = board::find(&board.name)?.with_target(target)?;
            let image = board.build(&[])?;
            let size = measure(&image)?;
            print!("{}", report(&board, &board.budget, &size));
            print!("{}", check_calls(&board, &image, options.accept)?);
            check(&board, &size)?;
            rows.push(Row::of(&board, size));
        }
        if board.record.is_some() && all {
            rows.push(Row::with(board, RECORD, measure(&board.build(&[RECORD])?)?));
        }
        if let Some(chip) = &board.rp2350 {
            let board = board::find(&board.name)?.with_target(&chip.target)?;
            print!("{}", rp2350::check(&board, chip)?);
        }
    }
    print!("{}", table(&rows));
    if options.accept && all {
        TABLE.write(&table(&rows))?;
    }
    Ok(())
}

/// Prints the callers that keep the functions with this part in their path in a firmware's flash.
fn why(name: &str, part: &str) -> Result<()> {
    let calls = calls::Calls::read(&image(name)?)?;
    print!("{name}: {}", calls::why::tell(&calls, part)?);
    Ok(())
}

/// Builds the firmware of a board, or an example for a core with an FPU.
fn image(name: &str) -> Result<PathBuf> {
    let example = EXAMPLES.iter().find(|it| it.package.strip_prefix("gallium-") == Some(name));
    match example {
        Some(example) => example.build("thumbv7em-none-eabihf", ""),
        None => board::find(name)?.build(&[]),
    }
}

/// Checks the calls of an image's pixel and draw functions; returns lines to print.
///
/// # Errors
/// See [`calls::check`] and [`calls::panics::check`].
pub fn check_calls(board: &Board, image: &Path, accept: bool) -> Result<String> {
    let calls = calls::Calls::read(image)?;
    Ok(calls::check(board, &calls)? + &calls::panics::check(board, &calls, accept)?)
}

/// The feature of firmware that records its calls; the table has a row of it.
const RECORD: &str = "record";

/// A line of the table of sizes.
pub struct Row {
    /// The firmware's name.
    pub name: String,
    /// The firmware's size.
    pub size: Size,
}

impl Row {
    /// Returns the row of a board's firmware.
    pub fn of(board: &Board, size: Size) -> Row {
        Row { name: format!("{}, {}", board.name, board.target), size }
    }

    /// Returns the row of a board's firmware with a feature.
    pub fn with(board: &Board, feature: &str, size: Size) -> Row {
        Row { name: format!("{} with `{feature}`, {}", board.name, board.target), size }
    }

    fn text(&self) -> String {
        let kib = |bytes: u64| bytes.div_ceil(1024);
        let Size { flash, panics, assets, .. } = self.size;
        let ram = self.size.ram();
        format!(
            "| {} | {} | {} | {} | {} |",
            self.name,
            kib(flash),
            kib(panics),
            kib(assets),
            kib(ram)
        )
    }
}

/// A firmware template, which is built but not run.
pub struct Example {
    package: &'static str,
    /// Its name in the table.
    pub title: &'static str,
    /// The maximum flash in KiB on cores with an FPU.
    budget: u64,
}

/// The smallest firmware with the driver at run time.
pub const STARTER: Example =
    Example { package: "gallium-starter", title: "starter (one triangle)", budget: 67 };

/// All firmware templates.
pub const EXAMPLES: [Example; 2] = [
    STARTER,
    Example { package: "gallium-direct", title: "direct (a lit mesh, composed)", budget: 32 },
];

/// The cores that they are built for: without compare-and-swap, without an FPU, with an FPU.
pub const EXAMPLE_TARGETS: [&str; 3] =
    ["thumbv6m-none-eabi", "thumbv7m-none-eabi", "thumbv7em-none-eabihf"];

impl Example {
    /// Builds the firmware with these features of its dependencies, and measures it.
    ///
    /// # Errors
    /// The build fails.
    pub fn measure(&self, target: &str, features: &str) -> Result<Row> {
        let image = self.build(target, features)?;
        Ok(Row { name: format!("{}, {target}", self.title), size: measure(&image)? })
    }

    /// Builds the firmware and returns its image.
    fn build(&self, target: &str, features: &str) -> Result<PathBuf> {
        let package = self.package;
        let mut cargo = toolchain::firmware(target, package)?;
        cargo.args(["--profile", "firmware-small", "--features", features]);
        shell::output(&mut cargo)?;
        Ok(shell::target_dir().join(target).join("firmware-small").join(package))
    }

    /// Fails if the firmware, built for `target`, exceeds its budget.
    ///
    /// # Errors
    /// The budget is exceeded.
    pub fn check(&self, target: &str, size: &Size) -> Result<()> {
        let (flash, budget) = (size.flash, self.budget * 1024);
        ensure!(
            !target.ends_with("hf") || flash <= budget,
            "{}, {target}: flash {flash} bytes, over the budget of {budget}",
            self.package
        );
        Ok(())
    }
}

const HEAD: &str = "| firmware | flash | of it text and panics | meshes, textures | RAM |\n\
                    |---|---|---|---|---|\n";
const TABLE: Table<'_> = Table {
    page: "docs/performance.md",
    begin: "<!-- sizes: cargo xtask size --accept -->\n",
    end: "<!-- /sizes -->\n",
};

/// Returns the table, in KiB.
fn table(rows: &[Row]) -> String {
    rows.iter().fold(String::from(HEAD), |table, row| table + &row.text() + "\n")
}

/// Tolerance of the tables' figures in KiB: compilers differ a little.
const STALE: u64 = 4;

/// Fails if the table of sizes, or that of the front page, differs from these rows.
///
/// # Errors
/// The line that differs, and the row that it should be; a page that cannot be read.
pub fn check_table(rows: &[Row]) -> Result<()> {
    let (_, [_, table, _]) = TABLE.read()?;
    compare_table(&table, rows)?;
    let path = shell::root().join("README.md");
    let page = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    compare_front_page(&page, rows)
}

/// Compares the flash and the RAM of the front page's firmwares, `| [package](…) | chip | 66 KiB | 21 KiB |`.
fn compare_front_page(page: &str, rows: &[Row]) -> Result<()> {
    for row in rows {
        let Some((name, target)) = row.name.rsplit_once(", ") else { continue };
        let (package, rest) = name.split_once(' ').unwrap_or((name, ""));
        // The page has no builds with further features.
        if rest.starts_with("with ") {
            continue;
        }
        let chip = match target {
            "thumbv6m-none-eabi" => "Cortex-M0+",
            "thumbv7m-none-eabi" => "Cortex-M3",
            "thumbv7em-none-eabihf" => "Cortex-M4F",
            _ => continue,
        };
        let (start, chip) = (format!("| [{package}]("), format!("| {chip} |"));
        let mut lines = page.lines();
        let Some(line) = lines.find(|it| it.starts_with(&start) && it.contains(&chip)) else {
            continue;
        };
        let cells =
            line.split('|').filter_map(|cell| cell.trim().strip_suffix(" KiB")?.parse().ok());
        let said: Vec<u64> = cells.collect();
        let is = [row.size.flash, row.size.ram()].map(|bytes| bytes.div_ceil(1024));
        let close = |(said, is): (&u64, &u64)| said.abs_diff(*is) <= STALE;
        ensure!(
            said.len() == 2 && said.iter().zip(&is).all(close),
            "README.md: {line}\nit is: {} KiB and {} KiB; write these",
            is[0],
            is[1]
        );
    }
    Ok(())
}

fn compare_table(table: &str, rows: &[Row]) -> Result<()> {
    let figures = |line: &str| -> Vec<u64> {
        line.split('|').filter_map(|cell| cell.trim().parse().ok()).collect()
    };
    for row in rows {
        let start = format!("| {} |", row.name);
        // `--accept` adds rows; a firmware without a row passes.
        let Some(line) = table.lines().find(|line| line.starts_with(&start)) else { continue };
        let (said, is) = (figures(line), figures(&row.text()));
        let stale =
            said.len() != is.len() || said.iter().zip(&is).any(|(a, b)| a.abs_diff(*b) > STALE);
        ensure!(
            !stale,
            "docs/performance.md: {line}\nit is: {}\nrun `cargo xtask size --accept`",
            row.text()
        );
    }
    Ok(())
}

/// Returns the report about one board, with the budget for its build.
pub fn report(board: &Board, held: &Budget, size: &Size) -> String {
    let row = |what: &str, bytes: u64, budget: u64| {
        let share = bytes as f64 / (budget * 1024) as f64 * 100.0;
        format!("  {what:<6} {bytes:>7} bytes of {:>6} ({share:.0} %)\n", budget * 1024)
    };
    format!(
        "{}\n{}{}         ({} statics and heap, {} stack; besides {} mesh and texture data)\n\
         \x20        ({} bytes of the flash format text and report panics)\n",
        board.name,
        row("flash", size.flash, held.flash),
        row("RAM", size.ram(), held.ram),
        size.statics,
        size.stack,
        size.assets,
        size.panics
    )
}

/// Fails if flash or RAM exceed their budgets.
pub fn check(board: &Board, size: &Size) -> Result<()> {
    check_budget(board, &board.budget, size)
}

/// Compares a firmware's size with a budget of its board.
///
/// # Errors
/// The budget is exceeded.
pub fn check_budget(board: &Board, budget: &Budget, size: &Size) -> Result<()> {
    for (what, bytes, budget) in
        [("flash", size.flash, budget.flash), ("RAM", size.ram(), budget.ram)]
    {
        ensure!(
            bytes <= budget * 1024,
            "{}: {what} {bytes} bytes, over the budget of {budget} KiB by {}",
            board.name,
            bytes - budget * 1024
        );
    }
    Ok(())
}

/// Measures an image by its sections and symbols.
pub fn measure(image: &Path) -> Result<Size> {
    let bytes = std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{}: not an image", image.display()))?;
    let mut size = Size { flash: 0, assets: 0, statics: 0, stack: 0, panics: 0 };
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        // Sections that reserve stack and heap contain no data; symbols give the size of the stack.
        let reserved = matches!(section.name(), Ok(".stack" | ".heap"));
        if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || reserved {
            continue;
        }
        let loaded = section.kind() != SectionKind::UninitializedData;
        if loaded {
            size.flash += section.size();
        }
        if !loaded || sh_flags.0 & elf::SHF_WRITE.0 != 0 {
            size.statics += section.size();
        }
    }
    let mut stack = [0, 0];
    for symbol in file.symbols() {
        let name = symbol.name().unwrap_or("");
        match name {
            "_stack_low" => stack[0] = symbol.address(),
            "_stack_start" => stack[1] = symbol.address(),
            _ if ASSETS.iter().any(|path| name.contains(path)) => size.assets += symbol.size(),
            _ if PANIC_MODULES.iter().any(|module| name.contains(module)) => {
                size.panics += symbol.size();
            }
            _ => {}
        }
    }
    size.flash = size.flash.saturating_sub(size.assets);
    // Without a symbol for the lower end, the size of the stack is unknown.
    size.stack = if stack[0] == 0 { 0 } else { stack[1].saturating_sub(stack[0]) };
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_table_is_noticed() {
        let size = Size { flash: 10 << 10, assets: 1, statics: 5 << 10, stack: 0, panics: 0 };
        let row = Row { name: "a board".into(), size };
        assert_eq!(row.text(), "| a board | 10 | 0 | 1 | 5 |");
        let table = |flash: u64| format!("{HEAD}| a board | {flash} | 0 | 1 | 5 |\n");
        assert!(compare_table(&table(10 + STALE), std::slice::from_ref(&row)).is_ok());
        assert!(compare_table(&table(11 + STALE), std::slice::from_ref(&row)).is_err());
        assert!(compare_table(HEAD, &[row]).is_ok());
    }

    #[test]
    fn a_stale_front_page_is_noticed() {
        let size = Size { flash: 10 << 10, assets: 1, statics: 5 << 10, stack: 0, panics: 0 };
        let row = [Row { name: "a (one triangle), thumbv6m-none-eabi".into(), size }];
        let page = |flash: u64| format!("| [a](b/a): one | Cortex-M0+ | {flash} KiB | 5 KiB |\n");
        assert!(compare_front_page(&page(10), &row).is_ok());
        let message = compare_front_page(&page(11 + STALE), &row).unwrap_err().to_string();
        assert!(message.ends_with("10 KiB and 5 KiB; write these"), "{message}");
        let other = page(99).replace("M0+", "M3");
        assert!(compare_front_page(&other, &row).is_ok(), "a row of another chip");
        let row = [Row { name: "a with `samples`, thumbv6m-none-eabi".into(), size }];
        assert!(compare_front_page(&page(99), &row).is_ok(), "a build with a feature");
    }

    #[test]
    fn over_budget_fails_and_says_by_how_much() {
        let board = board::find("mps2-an386").unwrap();
        let within = Size {
            flash: board.budget.flash * 1024,
            assets: 1 << 20,
            statics: board.budget.ram * 1024 - 8,
            stack: 8,
            panics: 0,
        };
        assert!(check(&board, &within).is_ok());
        let over = Size { stack: 9, ..within };
        let message = check(&board, &over).unwrap_err().to_string();
        assert!(message.contains("RAM") && message.ends_with("by 1"), "{message}");
    }
}
