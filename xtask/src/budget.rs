//! Instruction budgets: `[instructions.TARGET]` in `board.toml` has one line per scene.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::board::Board;
use crate::shell;

/// The tolerance above the budget in percent, because compilers differ a little.
const TOLERANCE_PERCENT: u64 = 1;

/// Compares the instructions of a scene's frame with the board's budget.
///
/// # Errors
/// The count exceeds the budget by more than the tolerance, or there is no budget.
pub fn check(board: &Board, scene: &str, count: u64) -> Result<()> {
    let target = &board.target;
    let accept =
        format!("`cargo xtask firmware {} --target {target} --scene {scene} --accept`", board.name);
    let lines = board.instructions.get(target);
    let Some(&budget) = lines.and_then(|lines| lines.get(scene)) else {
        bail!(
            "{}: {scene} has no budget of instructions for {target}; add it with {accept}",
            board.name
        );
    };
    if count > budget + budget * TOLERANCE_PERCENT / 100 {
        let percent = (count as f64 / budget as f64 - 1.0) * 100.0;
        bail!(
            "{}: {scene} takes {count} instructions, {percent:.1} % over its budget of {budget}; \
             find the cause, or raise the budget deliberately with {accept}",
            board.name
        );
    }
    Ok(())
}

/// Writes counts to the board's `board.toml`, as the budgets of its current target.
///
/// # Errors
/// The file cannot be read or written.
pub fn accept(board: &Board, counts: &[(&str, u64)]) -> Result<()> {
    let path = shell::root().join("boards").join(&board.name).join("board.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = rewrite(&text, &board.target, counts);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{} budgets of {} are written to {}", counts.len(), board.target, path.display());
    Ok(())
}

/// Replaces or adds the lines of a target's section; all other lines stay unchanged.
fn rewrite(text: &str, target: &str, counts: &[(&str, u64)]) -> String {
    // A dot in a bare key would begin another table.
    let header = match target.contains('.') {
        true => format!("[instructions.\"{target}\"]"),
        false => format!("[instructions.{target}]"),
    };
    let mut lines: Vec<String> = text.trim_end().lines().map(String::from).collect();
    let start = match lines.iter().position(|line| *line == header) {
        Some(at) => at + 1,
        None => {
            lines.extend([String::new(), header]);
            lines.len()
        }
    };
    let is_budget = |line: &String| line.contains('=') && !line.starts_with('[');
    let mut end = start + lines[start..].iter().take_while(|line| is_budget(line)).count();
    for (scene, count) in counts {
        let new = format!("{scene} = {}", grouped(*count));
        let named =
            |line: &String| line.split('=').next().is_some_and(|name| name.trim() == *scene);
        match lines[start..end].iter().position(named) {
            Some(at) => lines[start + at] = new,
            None => {
                lines.insert(end, new);
                end += 1;
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Writes a number with `_` between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = (digits.len() + 2) % 3 + 1;
    let (head, tail) = digits.split_at(first);
    tail.as_bytes()
        .chunks(3)
        .fold(head.to_owned(), |text, group| text + "_" + &String::from_utf8_lossy(group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    fn board(count: u64) -> Board {
        let mut board = board::find("mps2-an386").unwrap();
        let lines = [("S1".to_owned(), count)].into();
        board.instructions = [(board.target.clone(), lines)].into();
        board
    }

    #[test]
    fn one_percent_over_is_within_and_more_is_not() {
        let board = board(1_000_000);
        assert!(check(&board, "S1", 1_010_000).is_ok());
        assert!(check(&board, "S1", 10).is_ok());
        let message = check(&board, "S1", 1_010_001).unwrap_err().to_string();
        assert!(message.contains("S1 takes 1010001 instructions, 1.0 % over"), "{message}");
        assert!(
            message.contains("--target thumbv7em-none-eabihf --scene S1 --accept"),
            "{message}"
        );
        let message = check(&board, "S2", 1).unwrap_err().to_string();
        assert!(message.contains("S2 has no budget"), "{message}");
    }

    #[test]
    fn every_scene_of_every_board_has_a_budget() {
        for board in board::all().unwrap() {
            for target in board.targets() {
                for scene in board.scene_names() {
                    let budget = board.instructions.get(target).and_then(|it| it.get(scene));
                    assert!(budget.is_some(), "{}: {target}: {scene}", board.name);
                }
            }
        }
    }

    #[test]
    fn lines_are_replaced_and_added_and_the_rest_stays() {
        let text = "a = 1\n\n[instructions.x]\nS1 = 5\nS3 = 7\n\n# Kept.\n[budget]\nS1 = 1\n";
        let expected = "a = 1\n\n[instructions.x]\nS1 = 1_234_567\nS3 = 7\nS4 = 12\n\n# Kept.\n[budget]\nS1 = 1\n";
        assert_eq!(rewrite(text, "x", &[("S1", 1_234_567), ("S4", 12)]), expected);
        let added = rewrite("a = 1\n", "y", &[("S1", 999), ("S2", 1000)]);
        assert_eq!(added, "a = 1\n\n[instructions.y]\nS1 = 999\nS2 = 1_000\n");
        let dotted = rewrite("", "thumbv8m.main", &[("S1", 1)]);
        let table: toml::Table = dotted.parse().unwrap();
        assert_eq!(table["instructions"]["thumbv8m.main"]["S1"].as_integer(), Some(1));
        assert_eq!((grouped(0), grouped(100_000)), ("0".into(), "100_000".into()));
    }
}
