//! The page in a browser: Debian's chromium, without a window. Without chromium nothing is tested.

use std::process::Command;
use std::sync::Arc;

use formats::Format;
use gallium_inspect::serve::Server;
use pipe_core::*;

use crate::scene::{draws, inspector, recorded, whole};

#[test]
fn a_linked_pixel_shows_its_history() {
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("skipped: chromium is not installed");
        return;
    }
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
        stage.draw(&whole(0.5, [0.0, 1.0, 0.0, 1.0]));
        // The wrong draw: blue and nearer.
        stage.draw(&whole(-0.5, [0.0, 0.0, 1.0, 1.0]));
    });
    let inspector = inspector(trace);
    let [red, green, blue] = draws(&inspector)[..] else { panic!("three draws") };
    let server = Arc::new(Server::new(inspector, 0).expect("a port"));
    let running = {
        let server = Arc::clone(&server);
        std::thread::spawn(move || server.run())
    };
    let link = format!("{}#call={blue}&pixel=4,4", server.link());
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    browser.args(["--virtual-time-budget=20000", "--dump-dom"]);
    let answer = browser.arg(&link).output().expect("chromium runs");
    let page = String::from_utf8_lossy(&answer.stdout).into_owned();
    server.stop();
    running.join().expect("no panic").expect("served");

    let row = |call: u64| {
        let start = page.find(&format!("data-event=\"{call}\"")).unwrap_or_else(|| {
            panic!("no event for call {call} in\n{page}");
        });
        &page[start..]
    };
    assert!(row(red).contains("passed"));
    assert!(row(green).contains("dropped by depth test: 0.75"), "{}", row(green));
    assert!(row(blue).contains("(0, 0, 1, 1)"));
    assert!(page.contains(" current\""), "the call is marked in the list");
    assert!(page.contains("color 0"), "the state has the colour buffer");
}
