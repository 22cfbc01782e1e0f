//! `cargo xtask workers`: how busy 1 to 16 workers would be, from a profile that one worker wrote.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

/// Simulates more workers than the machine has, from the times of a profile.
///
/// A program that runs with RASTER_PROFILE=FILE writes the processor time of each task that workers
/// share: bands of scenes, claims of grids, sections of large draws. Set GALLIUM_NUM_THREADS to the
/// number of workers to simulate: the driver makes tasks for that number, whatever the machine has.
/// This command gives each task to the first worker that is free, in order, as the driver does. What
/// lies outside of tasks runs on one worker. The waits for locks and memory that real cores add are
/// not simulated.
#[derive(Args)]
pub struct Options {
    /// The profile.
    file: PathBuf,
    /// The numbers of workers.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16")]
    workers: Vec<usize>,
}

/// An event of the profile. Times are in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Event {
    name: String,
    thread: u64,
    begin: u64,
    end: u64,
    /// The processor time that the event's thread used.
    worked: u64,
}

/// Tasks that workers share, and the time around them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Round {
    /// What ran: a scene, a grid or a draw.
    kind: String,
    /// The time of each task, in the order of the claims.
    tasks: Vec<u64>,
    /// The time outside of tasks.
    alone: u64,
}

/// The kinds of rounds, and of their tasks.
const ROUNDS: [(&str, &str); 3] = [("scene", "band"), ("grid", "blocks"), ("draw", "section")];

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let file = &options.file;
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let rounds = rounds(&events(&text)?);
    ensure!(
        !rounds.is_empty(),
        "{} has no scene, grid or draw; record it with RASTER_PROFILE={0}",
        file.display()
    );
    print!("{}", report(&rounds, &options.workers));
    Ok(())
}

/// Reads the events of a profile, in the order of their begins.
///
/// # Errors
/// A line that is no event.
fn events(text: &str) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_matches(['[', ']', ',', ' ']);
        if line.is_empty() {
            continue;
        }
        let line: Value = serde_json::from_str(line)
            .with_context(|| format!("line {} is no event of a profile", number + 1))?;
        if line["ph"] != "X" {
            continue;
        }
        let nanos = |member: &str| {
            let micros = line[member].as_f64();
            let what = || format!("line {} has no number {member:?}", number + 1);
            Ok::<_, anyhow::Error>((micros.with_context(what)? * 1000.0).round() as u64)
        };
        let (begin, took, worked) = (nanos("ts")?, nanos("dur")?, nanos("tdur")?);
        let name = line["name"].as_str().unwrap_or_default().to_owned();
        let thread = line["tid"].as_u64().unwrap_or_default();
        events.push(Event { name, thread, begin, end: begin + took, worked });
    }
    events.sort_by_key(|event| (event.begin, std::cmp::Reverse(event.end)));
    Ok(events)
}

/// Returns the rounds of work. Draws that rasterize a full scene have that scene as a round of its
/// own.
fn rounds(events: &[Event]) -> Vec<Round> {
    let kind = |event: &Event| ROUNDS.iter().find(|(round, _)| *round == event.name);
    let mut rounds = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some((_, task)) = kind(event) else { continue };
        let inside = events[at + 1..].iter().take_while(|inner| inner.begin < event.end);
        let mut round = Round { kind: event.name.clone(), alone: event.worked, ..Round::default() };
        // The end of the last task or round of the event's thread: what lies within is part of it.
        let mut after = event.begin;
        for inner in inside.filter(|inner| inner.name == *task || kind(inner).is_some()) {
            let is_own = inner.thread == event.thread;
            if is_own && inner.begin < after {
                continue;
            }
            if inner.name == *task {
                round.tasks.push(inner.worked);
            }
            if is_own {
                round.alone = round.alone.saturating_sub(inner.worked);
                after = inner.end;
            }
        }
        rounds.push(round);
    }
    rounds
}

/// Returns the time until `workers` have run the tasks; each claims the next when it is free.
fn makespan(tasks: &[u64], workers: usize) -> u64 {
    let mut free_at = vec![0; workers.max(1)];
    for task in tasks {
        if let Some(first) = free_at.iter_mut().min() {
            *first += task;
        }
    }
    free_at.into_iter().max().unwrap_or(0)
}

/// Returns a table: for each number of workers, how much faster, and the shares of time that
/// workers idle.
fn report(rounds: &[Round], workers: &[usize]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Round>> = BTreeMap::new();
    for round in rounds {
        kinds.entry(&round.kind).or_default().push(round);
    }
    let mut text = String::new();
    for (kind, rounds) in &kinds {
        let tasks: usize = rounds.iter().map(|round| round.tasks.len()).sum();
        let shared: u64 = rounds.iter().flat_map(|round| &round.tasks).sum();
        let alone: u64 = rounds.iter().map(|round| round.alone).sum();
        let _ = writeln!(
            text,
            "{} × {kind}: {:.1} ms in {tasks} tasks, {:.1} ms outside of tasks",
            rounds.len(),
            shared as f64 / 1e6,
            alone as f64 / 1e6,
        );
    }
    let total: u64 = rounds.iter().map(|round| round.alone + round.tasks.iter().sum::<u64>()).sum();
    let alone: u64 = rounds.iter().map(|round| round.alone).sum();
    let _ = writeln!(text, "\nworkers  times as fast  idle in rounds  one worker alone");
    for &workers in workers {
        let spans = rounds.iter().map(|round| makespan(&round.tasks, workers));
        let shared: u64 = spans.sum();
        let busy: u64 = rounds.iter().flat_map(|round| &round.tasks).sum();
        let all = shared + alone;
        let share = |part: f64, of: f64| if of > 0.0 { part * 100.0 / of } else { 0.0 };
        let room = workers as f64 * shared as f64;
        let _ = writeln!(
            text,
            "{workers:>7}  {:>13.2}  {:>12.1} %  {:>14.1} %",
            total as f64 / all.max(1) as f64,
            share(room - busy as f64, room),
            share(alone as f64, all as f64),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One draw of 2 µs, then a scene of 10 µs with four bands of 2 µs each. A second thread draws
    /// one of them, and waits for a while.
    const PROFILE: &str = r#"[
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"main"}},
{"name":"draw","ph":"X","pid":1,"tid":1,"ts":0.000,"dur":2.000,"tdur":2.000,"args":{}},
{"name":"tile","ph":"X","pid":1,"tid":1,"ts":3.100,"dur":1.000,"tdur":1.000,"args":{}},
{"name":"band","ph":"X","pid":1,"tid":1,"ts":3.000,"dur":2.000,"tdur":2.000,"args":{}},
{"name":"band","ph":"X","pid":1,"tid":1,"ts":5.000,"dur":2.000,"tdur":2.000,"args":{}},
{"name":"band","ph":"X","pid":1,"tid":2,"ts":3.500,"dur":5.000,"tdur":2.000,"args":{}},
{"name":"band","ph":"X","pid":1,"tid":1,"ts":7.000,"dur":2.000,"tdur":2.000,"args":{}},
{"name":"scene","ph":"X","pid":1,"tid":1,"ts":2.000,"dur":10.000,"tdur":8.000,"args":{}},
"#;

    #[test]
    fn tasks_lie_in_their_rounds() {
        let rounds = rounds(&events(PROFILE).unwrap());
        let [draw, scene] = &rounds[..] else { panic!("{rounds:?}") };
        assert_eq!((draw.tasks.len(), draw.alone), (0, 2000));
        assert_eq!((&scene.tasks[..], scene.alone), (&[2000; 4][..], 2000));
    }

    #[test]
    fn workers_share_tasks_in_order() {
        assert_eq!(makespan(&[2, 2, 2, 2], 1), 8);
        assert_eq!(makespan(&[2, 2, 2, 2], 3), 4);
        assert_eq!(makespan(&[2, 2, 2, 2], 16), 2);
        assert_eq!(makespan(&[1, 1, 6, 2], 2), 7, "the long task begins after a short one");
        assert_eq!(makespan(&[], 4), 0);
    }

    #[test]
    fn a_report_has_a_row_per_number_of_workers() {
        let rounds = rounds(&events(PROFILE).unwrap());
        let text = report(&rounds, &[1, 4]);
        // 12 µs on one worker; on four, 4 µs alone and 2 µs together.
        assert!(
            text.contains("      1           1.00           0.0 %            33.3 %"),
            "{text}"
        );
        assert!(
            text.contains("      4           2.00           0.0 %            66.7 %"),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_is_no_event_is_named() {
        let error = events("[\nnot an event").unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        let error = events(r#"{"ph":"X","ts":1,"dur":1}"#).unwrap_err().to_string();
        assert!(error.contains("tdur"), "{error}");
    }
}
