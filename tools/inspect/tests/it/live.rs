//! A running program behind the gate.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use gallium_inspect::live::{Gate, LiveShader, Status, Stop, Uses, live};
use gallium_inspect::serve_live::LiveServer;
use os_shim::options::Table;
use os_shim::{Memory, Os};
use pipe_core::*;
use raster::{AnyProfile, Config};

use crate::scene::{FRAGMENT, SIDE, Stage, VERTEX, whole};
use crate::serve::send;

/// Draws a red frame again and again until `ends`.
fn program(gate: &Gate, ends: &AtomicBool) {
    program_of(gate, ends, 1);
}

/// Draws frames until `ends`: a red triangle with a texture of 4 × 4 texels bound, and with `draws`
/// 2 then two triangles with another fragment shader and without the texture.
fn program_of(gate: &Gate, ends: &AtomicBool, draws: u32) {
    sampled_program(gate, ends, draws, 0);
}

/// Draws as [`program_of`], to a target with a number of samples per pixel; 0 is one.
fn sampled_program(gate: &Gate, ends: &AtomicBool, draws: u32, samples: u8) {
    let memory = Memory::system();
    let driver = AnyProfile::Host.screen(Os::host(), Config::default());
    live(&*driver, gate, memory, |screen| {
        let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
        let format = Format::R8G8B8A8Unorm;
        let template = ResourceTemplate {
            nr_samples: samples,
            nr_storage_samples: samples,
            ..ResourceTemplate::texture_2d(format, SIDE, SIDE, Bind::RENDER_TARGET)
        };
        let target = screen.resource_create(&template).expect("a target");
        let color = context.create_surface(target, &SurfaceTemplate::of(format)).expect("surface");
        let side = SIDE as u16;
        let framebuffer = FramebufferState::single(side, side, color, None);
        context.set_framebuffer_state(&framebuffer).expect("bound");
        context.set_viewport_states(0, &[ViewportState::y_down(SIDE, SIDE)]).expect("set");
        let elements = [
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ];
        let elements = context.create_vertex_elements_state(&elements).expect("elements");
        context.bind_vertex_elements_state(Some(elements)).expect("bound");
        let mut stage = Stage { screen, context: &mut *context };
        stage.shader(ShaderType::Vertex, VERTEX);
        let first = stage.shader(ShaderType::Fragment, FRAGMENT);
        let second = (draws > 1).then(|| stage.shader(ShaderType::Fragment, GREEN));
        let of_texture = ResourceTemplate::texture_2d(format, 4, 4, Bind::SAMPLER_VIEW);
        let texture = screen.resource_create(&of_texture).expect("a texture");
        let view = SamplerViewTemplate::whole(&of_texture);
        let view = stage.context.create_sampler_view(texture, &view).expect("a view");
        while !ends.load(SeqCst) {
            let black = ColorUnion::float([0.0, 0.0, 0.0, 1.0]);
            stage.context.clear(ClearFlags::COLOR0, None, &black, 1.0, 0).expect("cleared");
            let fragment = ShaderType::Fragment;
            stage.context.bind_shader_state(fragment, Some(first)).expect("bound");
            stage.context.set_sampler_views(fragment, 0, &[Some(view)]).expect("bound");
            let red = whole(0.0, [1.0, 0.0, 0.0, 1.0]);
            stage.draw(&red);
            if let Some(second) = second {
                stage.context.bind_shader_state(fragment, Some(second)).expect("bound");
                stage.context.set_sampler_views(fragment, 0, &[None]).expect("bound");
                stage.draw(&[red, red].concat());
            }
            stage.context.flush(FlushFlags::empty()).expect("flushed");
        }
    });
}

/// Ends the program when a test ends, also by a panic.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// Waits until the gate's status is as wanted.
fn wait(gate: &Gate, wanted: impl Fn(&Status) -> bool) -> Status {
    let start = Instant::now();
    loop {
        let status = gate.status();
        if wanted(&status) {
            return status;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{status:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the first pixel of a PNG file.
fn pixel(file: &[u8]) -> [u8; 4] {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("a picture");
    [bytes[0], bytes[1], bytes[2], bytes[3]]
}

const GREEN: &str = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.0, 1.0, 0.0, 1.0}\n\
    MOV OUT[0], IMM[0]\nEND\n";

#[test]
fn a_target_with_several_samples_shows_their_mean() {
    let (gate, ends) = (Gate::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| sampled_program(&gate, &ends, 2, 4));
        gate.stop(Stop::Present);
        wait(&gate, |status| status.held.is_some());
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [0, 255, 0, 255]);
    });
}

#[test]
fn a_running_program_is_held_and_changed() {
    let (gate, ends) = (Gate::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| program(&gate, &ends));
        gate.stop(Stop::Present);
        let status = wait(&gate, |status| status.held.is_some());
        assert_eq!(status.held.as_ref().expect("held").name, "flush");
        assert_eq!((status.contexts, status.shaders.len()), (1, 2));
        let shown = gate.picture(1, None).expect("a picture");
        assert_eq!(pixel(&shown), [255, 0, 0, 255]);

        // Another text in the place of the fragment shader, and back.
        let fragment = status.shaders.iter().find(|it| it.stage == "Fragment").expect("one");
        assert_eq!(gate.text(1, &fragment.shader).expect("a text"), FRAGMENT);
        let broken = gate.replace(1, &fragment.shader, Some("FRAG\nMOV\nEND\n".into()));
        assert!(broken.is_err(), "the text is no shader");
        gate.replace(1, &fragment.shader, Some(GREEN.into())).expect("replaced");
        gate.stop(Stop::Present);
        wait(&gate, |status| status.held.is_some() && status.presents > 1);
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [0, 255, 0, 255]);
        assert_eq!(gate.text(1, &fragment.shader).expect("a text"), GREEN);
        gate.replace(1, &fragment.shader, None).expect("taken back");
        let before = gate.status().presents;
        gate.stop(Stop::Present);
        wait(&gate, |status| status.held.is_some() && status.presents > before);
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [255, 0, 0, 255]);

        // Draws of a disabled shader are dropped: the clear is left.
        gate.disable(1, &fragment.shader, true).expect("disabled");
        let before = gate.status().presents;
        gate.stop(Stop::Present);
        let status = wait(&gate, |status| status.held.is_some() && status.presents > before);
        assert!(status.dropped > 0);
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [0, 0, 0, 255]);
        gate.disable(1, &fragment.shader, false).expect("enabled");

        // Draws are stepped one by one.
        gate.stop(Stop::Draw);
        let first =
            wait(&gate, |status| status.held.as_ref().is_some_and(|it| it.name == "draw_vbo"));
        gate.stop(Stop::Draw);
        wait(&gate, |status| status.held.is_some() && status.draws == first.draws + 1);
        ends.store(true, SeqCst);
        gate.stop(Stop::Never);
    });
    assert_eq!(gate.status().contexts, 0, "the program has ended");
}

/// Waits until a draw with this text is held, later than `draws` draws.
fn held(gate: &Gate, what: &str, draws: u64) -> Status {
    let is = |status: &Status| status.held.as_ref().is_some_and(|it| it.what.contains(what));
    let status = wait(gate, |status| status.held.is_some() && status.draws > draws);
    assert!(is(&status), "{status:?}");
    status
}

#[test]
fn draws_are_held_by_what_they_use() {
    let (gate, ends) = (Gate::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| program_of(&gate, &ends, 2));
        // Each frame draws 3 vertices with the first two shaders, then 6 vertices with another
        // fragment shader.
        gate.stop(Stop::Uses(Uses { vertices: Some(6), ..Uses::default() }));
        let six = held(&gate, "Triangles, 6 vertices", 0);
        let bound = |status: &Status, is_bound| {
            let mut shaders = status.shaders.iter();
            let is = |it: &&LiveShader| it.stage == "Fragment" && it.is_bound == is_bound;
            shaders.find(is).expect("a fragment shader").shader.clone()
        };
        let (second, first) = (bound(&six, true), bound(&six, false));
        // Only one draw in two uses a fragment shader.
        for (shader, what) in [(first, "3 vertices"), (second, "6 vertices")] {
            let (handle, stage) = gate.find(1, &shader).expect("known");
            assert_eq!(stage, ShaderType::Fragment);
            let uses = Stop::Uses(Uses { shader: Some((1, handle)), ..Uses::default() });
            assert_eq!(uses.to_string(), format!("draw with {shader} of context 1"));
            let before = gate.status().draws;
            gate.stop(uses);
            held(&gate, what, before);
            let before = gate.status().draws;
            gate.stop(uses);
            let again = held(&gate, what, before);
            assert_eq!(again.draws, before + 2, "the other draw was not held");
        }
        // The texture is bound for the draw of 3 vertices only; the target for both.
        let list = gate.resources();
        let find = |side: &str| {
            let found = list.iter().find(|it| it.what.contains(side)).expect("listed");
            gate.find_resource(&found.resource).expect("known")
        };
        for (side, what) in [("4 × 4", "3 vertices"), ("8 × 8", "")] {
            let before = gate.status().draws;
            let resource = Some(find(side));
            gate.stop(Stop::Uses(Uses { resource, ..Uses::default() }));
            held(&gate, what, before);
        }
        // Nothing meets both conditions, so that the program runs.
        let resource = Some(find("4 × 4"));
        gate.stop(Stop::Uses(Uses { resource, vertices: Some(6), shader: None }));
        let before = gate.status().draws;
        let status = wait(&gate, |status| status.draws > before + 20);
        assert_eq!(status.held, None);
        assert!(status.stop.ends_with(" and 6 vertices"), "{}", status.stop);
        // The state of a running program is listed without asking its thread.
        let state = gate.state(1).expect("a state");
        let titles: Vec<_> = state.sections.iter().map(|it| it.title.as_str()).collect();
        assert!(titles.contains(&"framebuffer") && titles.contains(&"surfaces"), "{titles:?}");
        ends.store(true, SeqCst);
        gate.stop(Stop::Never);
    });
}

const WGSL: &str = "@fragment fn blue() -> @location(0) vec4f { return vec4f(0, 0, 1, 1); }";

#[test]
fn a_shader_is_replaced_by_wgsl() {
    let (gate, ends) = (Gate::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| program(&gate, &ends));
        let status = wait(&gate, |status| status.presents > 0);
        let shader = |stage: &str| {
            let found = status.shaders.iter().find(|it| it.stage == stage).expect("one");
            found.shader.clone()
        };
        let (vertex, fragment) = (shader("Vertex"), shader("Fragment"));
        gate.replace(1, &fragment, Some(WGSL.into())).expect("replaced");
        assert_eq!(gate.text(1, &fragment).expect("a text"), WGSL, "the text as it was edited");
        let before = gate.status().presents;
        gate.stop(Stop::Present);
        wait(&gate, |status| status.held.is_some() && status.presents > before);
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [0, 0, 255, 255]);
        let error = |shader: &str, text: &str| {
            let refused = gate.replace(1, shader, Some(text.into()));
            refused.expect_err("refused").to_string()
        };
        assert_eq!(
            error(&vertex, WGSL),
            "the WGSL has 0 entry points of the stage Vertex: leave exactly one"
        );
        assert_eq!(error(&vertex, GREEN), "the text is not of the stage Vertex");
        assert!(error(&fragment, "@fragment fn f( {").contains("shader.wgsl:1:"), "the line");
        // The shader of before is in place.
        assert_eq!(pixel(&gate.picture(1, None).expect("a picture")), [0, 0, 255, 255]);
        ends.store(true, SeqCst);
        gate.stop(Stop::Never);
    });
}

#[test]
fn a_viewer_that_dies_does_not_stop_the_program() {
    let (gate, ends) = (Gate::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| program(&gate, &ends));
        gate.stop(Stop::Present);
        wait(&gate, |status| status.held.is_some());
        std::thread::sleep(gallium_inspect::live::PATIENCE + Duration::from_millis(500));
        let status = gate.status();
        assert_eq!((status.held, status.stop.as_str()), (None, "never"));
        ends.store(true, SeqCst);
    });
}

#[test]
fn the_option_opens_loopback_addresses_only() {
    let of = |value: &'static str| {
        let entries: &'static [_] = Box::leak(Box::new([("GALLIUM_RBUG", value)]));
        LiveServer::of_options(&Table(entries))
    };
    assert!(of("false").expect("off").is_none());
    let server = of("true").expect("on").expect("a server");
    assert!(server.link().starts_with("http://127.0.0.1:"), "{}", server.link());
    let error = |value| of(value).err().expect("refused").to_string();
    assert_eq!(
        error("0.0.0.0:8000"),
        "GALLIUM_RBUG is 0.0.0.0:8000: only the loopback address 127.0.0.1 is allowed"
    );
    assert!(error("here").contains("use true, or an address"), "{}", error("here"));
}

#[test]
fn the_page_edits_a_shader_of_a_running_program() {
    let server = LiveServer::open(([127, 0, 0, 1], 0).into()).expect("a port");
    let (address, token) = server.link().split_once("/?token=").expect("a token");
    let port = address.rsplit(':').next().expect("a port");
    let known = format!("Host: 127.0.0.1:{port}\r\nX-Token: {token}\r\n");
    let get = |path: &str| send(port, "GET", path, &known, "");
    let post = |path: &str, text: &str| send(port, "POST", path, &known, text);
    let foreign = format!("Host: evil.example\r\nX-Token: {token}\r\n");
    assert_eq!(send(port, "GET", "/api/status", &foreign, "").0, "403");
    let other = format!("{known}Origin: http://evil.example\r\n");
    assert_eq!(send(port, "POST", "/api/stop?value=draw", &other, "").0, "403");
    assert_eq!(get("/").0, "200");

    let ends = AtomicBool::new(false);
    let listed = server.gate();
    std::thread::scope(|scope| {
        let _end = End(&ends);
        scope.spawn(|| program(&listed.gate, &ends));
        let held = |presents: u64| {
            assert_eq!(post("/api/stop?screen=1&value=present", "").0, "200");
            wait(&listed.gate, |status| status.held.is_some() && status.presents > presents)
        };
        let status = held(0);
        let fragment = status.shaders.iter().find(|it| it.stage == "Fragment").expect("one");
        let name = fragment.shader.replace('#', "%23");
        let path = format!("/api/replace?screen=1&context=1&shader={name}");
        let (refused, why) = post(&path, "FRAG\nMOV\nEND\n");
        assert_eq!(refused, "422", "{}", String::from_utf8_lossy(&why));
        assert_eq!(post(&path, GREEN).0, "200");
        held(status.presents);
        let (found, picture) = get("/api/picture?screen=1&context=1");
        assert_eq!((found.as_str(), pixel(&picture)), ("200", [0, 255, 0, 255]));
        ends.store(true, SeqCst);
        listed.gate.stop(Stop::Never);
    });
    drop(listed);
    let (_, status) = get("/api/status");
    assert_eq!(String::from_utf8_lossy(&status), r#"{"screens":[],"status":null}"#);
}
