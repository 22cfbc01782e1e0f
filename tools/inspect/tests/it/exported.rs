//! Exported pages in a browser, from disk. `cargo xtask test "exported recording"` builds the engine and runs this
//! test with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use formats::Format;
use gallium_inspect::desk::Desk;
use gallium_inspect::{Inspector, Limits, export};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::RecordScreen;
use pipe_core::*;
use raster::{AnyProfile, Config};
use scenes::{SceneRenderer, Surface, View};
use serde_json::{Value, json};

use crate::scene::{draws, inspector, recorded, whole};

/// Returns the files of the page and of the browser's driver.
fn given() -> Option<[PathBuf; 2]> {
    let [page, driver] = ["GALLIUM_INSPECT_PAGE", "GALLIUM_BROWSER"].map(std::env::var_os);
    if page.is_none() {
        eprintln!("skipped: `cargo xtask test \"exported recording\"` builds the page");
    }
    Some([page?.into(), driver?.into()])
}

/// Runs steps in a browser; returns the values.
fn run(driver: &Path, steps: &[Value]) -> Vec<Value> {
    let arguments = json!({ "browser": "/usr/bin/chromium", "steps": steps }).to_string();
    let mut node = Command::new("node");
    let output = node.current_dir(driver).arg("run.mjs").arg(arguments).output();
    let output = output.expect("node runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("a list of values")
}

/// A page that a recording was exported to.
struct Exported {
    trace: &'static [u8],
    folder: PathBuf,
    name: &'static str,
    bytes: usize,
}

impl Exported {
    fn new(page: &Path, name: &'static str, trace: &'static [u8]) -> Self {
        let folder = page.parent().expect("a folder").to_owned();
        let page = std::fs::read_to_string(page).expect("the page");
        let file = export::filled(&page, name, trace.to_vec()).expect("a recording");
        std::fs::write(folder.join(format!("{name}.html")), &file).expect("written");
        Self { trace, folder, name, bytes: file.len() }
    }

    /// Returns the step that opens the page at a link.
    fn goto(&self, hash: &str) -> Value {
        let file = self.folder.join(format!("{}.html", self.name));
        json!(["goto", format!("file://{}{hash}", file.display())])
    }

    /// Returns the step that takes a picture of the page.
    fn shot(&self, name: &str) -> Value {
        json!(["shot", self.folder.join(format!("{}-{name}.png", self.name))])
    }

    /// Returns what the server answers to addresses: statuses, and contents in hexadecimal digits.
    fn served(&self, addresses: &[String]) -> Vec<Value> {
        let inspector = Inspector::new(self.trace, Limits::default()).expect("a recording");
        let desk = Desk::new(inspector);
        let replies = addresses.iter().map(|address| {
            let reply = desk.reply(address);
            let digits: String = reply.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!([reply.status, digits])
        });
        replies.collect()
    }
}

/// Returns the step that reads what the engine in the page answers to addresses.
fn asked(addresses: &[String]) -> Value {
    let script = "(async (addresses) => {
        const list = [];
        for (const address of addresses) {
            const { status, bytes } = await reply(address);
            list.push([status, Array.from(bytes, (it) => it.toString(16).padStart(2, '0')).join('')]);
        }
        return list;
    })";
    json!(["value", format!("{script}({})", json!(addresses))])
}

/// Returns the step that waits for the picture after a call.
fn shows(call: u64) -> Value {
    json!(["wait", format!("document.getElementById('canvas').dataset.call === '{call}'")])
}

/// Every question about the draws, the last draw first: the engine has to go back.
fn questions(draws: &[u64], [x, y]: [u32; 2]) -> Vec<String> {
    let mut list = vec!["summary".into(), "calls?first=1&count=500".into()];
    for call in draws.iter().rev() {
        for name in ["state", "resources", "why", "vertices", "mesh", "picture"] {
            list.push(format!("{name}?call={call}"));
        }
        for stage in ["vertex", "fragment", "geometry"] {
            list.push(format!("shader?call={call}&stage={stage}"));
        }
        for view in ["overdraw", "wireframe", "depth"] {
            list.push(format!("view?call={call}&view={view}&scope=frame"));
            list.push(format!("picture?call={call}&view={view}&scope=frame"));
        }
        list.push(format!("debug?call={call}&vertex=1"));
        for name in ["value", "history", "debug"] {
            list.push(format!("{name}?call={call}&x={x}&y={y}"));
        }
    }
    // Questions without an answer.
    for wrong in ["state?call=99999", "state", "history?call=1&x=9999&y=0", "nothing"] {
        list.push(wrong.into());
    }
    list.iter().map(|it| format!("/api/{it}")).collect()
}

/// Records two frames of a lit, textured teapot.
fn teapot() -> &'static [u8] {
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let driver = AnyProfile::Host.screen(Os::host(), Config::default());
    let screen = RecordScreen::new(&*driver, &sink, Memory::system());
    let surface = Surface {
        width: 320,
        height: 240,
        color: Format::R8G8B8A8Unorm,
        depth: Format::Z24UnormS8Uint,
        streamed: false,
    };
    {
        let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
        let scene = scenes::DEMOS[2];
        let renderer = SceneRenderer::new(&screen, &mut *context, &surface, scene).expect("memory");
        for frame in 0..2 {
            let view = View::turntable(frame, 36, surface.aspect());
            renderer.draw(&mut *context, &view).expect("drawn");
            renderer.flush(&mut *context).expect("flushed");
        }
        renderer.destroy(&screen, &mut *context);
    }
    bytes.into_inner().expect("no panic").leak()
}

/// Compares a page's answers with the server's.
fn compared(exported: &Exported, driver: &Path, draws: &[u64], pixel: [u32; 2]) {
    let addresses = questions(draws, pixel);
    let values = run(driver, &[exported.goto(""), asked(&addresses)]);
    let answers = values[0].as_array().expect("a list");
    let served = exported.served(&addresses);
    assert_eq!(answers.len(), served.len());
    for ((address, answer), served) in addresses.iter().zip(answers).zip(&served) {
        assert_eq!(answer, served, "{address}");
    }
    let answered = served.iter().filter(|it| it[0] == 200).count();
    assert!(answered > addresses.len() / 2, "{answered} answers");
}

#[test]
fn an_exported_page_answers_like_the_server() {
    let Some([page, driver]) = given() else { return };
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
        stage.draw(&whole(0.5, [0.0, 1.0, 0.0, 1.0]));
        // The wrong draw: blue and nearer.
        stage.draw(&whole(-0.5, [0.0, 0.0, 1.0, 1.0]));
    });
    let three = Exported::new(&page, "three", trace);
    let [red, green, blue] = draws(&inspector(trace))[..] else { panic!("three draws") };
    compared(&three, &driver, &[red, green, blue], [4, 4]);

    let pixel = "Array.from(document.getElementById('canvas').getContext('2d').getImageData(4, 4, 1, 1).data)";
    let event = |call: u64| format!("document.querySelector('#panel [data-event=\"{call}\"]')");
    let values = run(
        &driver,
        &[
            three.goto(&format!("#call={blue}&pixel=4,4")),
            shows(blue),
            json!(["wait", event(blue)]),
            json!(["value", pixel]),
            json!(["value", format!("{}.nextSibling.textContent", event(green))]),
            three.shot("history"),
            // Keys go from draw to draw, and the address follows.
            json!(["press", "p"]),
            shows(green),
            json!(["value", pixel]),
            json!(["value", "location.hash"]),
            json!(["press", "n"]),
            shows(blue),
            // The shader of a fragment, step by step.
            json!(["click", format!("[data-step][data-of=\"{blue}\"]")]),
            json!(["wait", "document.querySelector('#panel > div').dataset.of === 'debug'"]),
            json!(["value", "document.getElementById('panel').textContent"]),
            three.shot("steps"),
        ],
    );
    assert_eq!(values[0], json!([0, 0, 255, 255]));
    assert!(
        values[1].as_str().is_some_and(|it| it.contains("dropped by depth test: 0.75")),
        "{values:?}"
    );
    assert_eq!(values[2], json!([255, 0, 0, 255]), "green is behind red");
    assert_eq!(values[3], format!("#call={green}&pixel=4,4"));
    assert!(values[4].as_str().is_some_and(|it| it.contains("MOV OUT[0], IN[0]")), "{values:?}");
}

#[test]
fn an_exported_scene_is_shown_at_once() {
    let Some([page, driver]) = given() else { return };
    let teapot = Exported::new(&page, "teapot", teapot());
    let draws = draws(&inspector(teapot.trace));
    compared(&teapot, &driver, &draws, [160, 120]);
    let last = draws[draws.len() - 1];
    let values = run(
        &driver,
        &[
            json!(["dark", false]),
            teapot.goto(""),
            json!(["wait", "document.body.dataset.first"]),
            json!(["value", "Number(document.body.dataset.first)"]),
            json!(["value", "document.title"]),
            teapot.goto(&format!("#call={last}&pixel=160,120")),
            shows(last),
            json!(["wait", "document.querySelector('#panel [data-fragment]')"]),
            teapot.shot("light"),
            json!(["dark", true]),
            teapot.goto(&format!("#call={last}&tab=mesh&view=wireframe&scope=frame")),
            shows(last),
            json!(["wait", "document.querySelector('#panel [data-primitive]')"]),
            teapot.shot("dark"),
        ],
    );
    let first = values[0].as_f64().expect("milliseconds");
    assert_eq!(values[1], "teapot · gallium-inspect");
    let (page, recording) = (teapot.bytes / 1024, teapot.trace.len() / 1024);
    println!(
        "figures: page {page} KiB with a recording of {recording} KiB, first picture {first:.0} ms"
    );
    // Twice the goal, because other programs share the machine.
    assert!(first < 4000.0, "{first} ms");
}
