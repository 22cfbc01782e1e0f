//! The page in a browser: Debian's chromium, without a window. Without chromium nothing is tested.

use std::process::Command;
use std::sync::Arc;

use formats::Format;
use gallium_inspect::Inspector;
use gallium_inspect::serve::Server;
use pipe_core::*;

use crate::scene::{draws, inspector, recorded, sampled, whole};

/// Opens the page at a link's hash in chromium, and returns its document when the answers are there;
/// `None` without chromium.
fn opened(inspector: Inspector, hash: &str) -> Option<String> {
    if Command::new("chromium").arg("--version").output().is_err() {
        eprintln!("skipped: chromium is not installed");
        return None;
    }
    let server = Arc::new(Server::new(inspector, 0).expect("a port"));
    let running = {
        let server = Arc::clone(&server);
        std::thread::spawn(move || server.run())
    };
    let link = format!("{}{hash}", server.link());
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    browser.args(["--virtual-time-budget=20000", "--dump-dom"]);
    let answer = browser.arg(&link).output().expect("chromium runs");
    let page = String::from_utf8_lossy(&answer.stdout).into_owned();
    server.stop();
    running.join().expect("no panic").expect("served");
    Some(page)
}

#[test]
fn a_linked_pixel_shows_its_history() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
        stage.draw(&whole(0.5, [0.0, 1.0, 0.0, 1.0]));
        // The wrong draw: blue and nearer.
        stage.draw(&whole(-0.5, [0.0, 0.0, 1.0, 1.0]));
    });
    let inspector = inspector(trace);
    let [red, green, blue] = draws(&inspector)[..] else { panic!("three draws") };
    let Some(page) = opened(inspector, &format!("#call={blue}&pixel=4,4")) else { return };

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

/// Two triangles: one covers the target, the other is right of the view.
fn two() -> Inspector {
    inspector(recorded(Format::Z24UnormS8Uint, |stage| {
        let seen = whole(0.0, [1.0, 0.0, 0.0, 1.0]);
        let right = seen.map(|mut corner| {
            corner[0] += 9.0;
            corner
        });
        stage.draw(&[seen, right].concat());
        stage.draw(&seen);
    }))
}

#[test]
fn a_linked_view_and_mesh_are_shown() {
    let inspector = two();
    let [first, second] = draws(&inspector)[..] else { panic!("two draws") };
    let link = format!("#call={first}&tab=mesh&view=overdraw&scope=draw");
    let Some(page) = opened(inspector, &link) else { return };
    assert!(
        page.contains("overdraw: 1 draws, 64 fragments on 64 pixels: 1.00 per pixel, at most 1"),
        "{page}"
    );
    assert!(page.contains("clipped: a part is in the view"), "{page}");
    assert!(page.contains("right of the view (x &gt; w)"));
    assert!(page.contains("data-primitive=\"1\""));

    let link = format!("#call={second}&tab=debug&vertex=1&view=overdraw&scope=pass");
    let Some(page) = opened(two(), &link) else { return };
    assert!(page.contains("overdraw: 2 draws, 128 fragments on 64 pixels: 2.00 per pixel"));
    // The vertex shader moves the position (3, -1, 0, 1) and the colour.
    assert!(page.contains("vertex 1 of call"), "{page}");
    assert!(page.contains("3, -1, 0, 1"));
}

#[test]
fn a_linked_sample_shows_its_fragments() {
    let inspector = inspector(sampled(Format::Z24UnormS8Uint, 4, |stage| {
        stage.rasterizer(&RasterizerState { multisample: true, ..RasterizerState::default() });
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
    }));
    let call = draws(&inspector)[0];
    let Some(page) = opened(inspector, &format!("#call={call}&pixel=4,4&sample=2")) else { return };
    assert!(page.contains("sample 2 of pixel (4, 4)"), "{page}");
    assert!(page.contains("data-fragment=\"0\""), "{page}");
}
