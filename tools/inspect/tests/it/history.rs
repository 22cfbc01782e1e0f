//! The history of a pixel.

use formats::Format;
use gallium_inspect::Inspector;
use gallium_inspect::history::{Event, history};
use gallium_inspect::picture::Place;
use gallium_inspect::picture::Texel;
use pipe_core::*;

use crate::scene::{draws, inspector, recorded, sampled, whole};

/// Returns the history of pixel (4, 4) of the target, the first resource with the target's format.
fn of_pixel(inspector: &Inspector) -> Vec<Event> {
    of_sample(inspector, None)
}

/// Returns the history of a sample of pixel (4, 4).
fn of_sample(inspector: &Inspector, sample: Option<u32>) -> Vec<Event> {
    let last = inspector.listing().count();
    inspector
        .at(last - 1, move |session| {
            let facts = session.facts().lock();
            let (resource, _) = facts
                .resources
                .iter()
                .find(|(_, (template, _))| template.format == Format::R8G8B8A8Unorm)
                .expect("the target");
            Ok(*resource)
        })
        .and_then(|resource| {
            inspector.at(0, move |session| {
                let place = Place { resource, level: 0, layer: 0, x: 4, y: 4, sample };
                history(session, place, 1, last)
            })
        })
        .expect("a history")
}

fn color(r: u8, g: u8, b: u8, a: u8) -> Option<Texel> {
    Some(Texel::Float([r, g, b, a].map(|value| f32::from(value) / 255.0)))
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

#[test]
fn three_triangles_in_order() {
    for format in [Format::Z24UnormS8Uint, Format::Z16Unorm, Format::Z32Float] {
        let trace = recorded(format, |stage| {
            stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
            // Red at depth 0.5, then green behind it at 0.75.
            stage.draw(&[whole(0.0, RED), whole(0.5, GREEN)].concat());
            // Blue at depth 0.25 over red, with alpha 0.2.
            stage.blend(RenderTargetBlendState::alpha_blending());
            stage.draw(&whole(-0.5, [0.0, 0.0, 1.0, 0.2]));
        });
        let inspector = inspector(trace);
        let events = of_pixel(&inspector);
        let calls: Vec<_> = events.iter().map(|event| (event.name, event.call)).collect();
        let [first, second] = draws(&inspector)[..] else { panic!("two draws") };
        assert_eq!(calls[0], ("before", 0));
        assert_eq!(calls[1].0, "clear");
        assert_eq!(calls[2..], [("draw_vbo", first), ("draw_vbo", second)]);
        assert_eq!(events[1].after, color(0, 0, 0, 255));

        let notes: Vec<_> = events.iter().filter_map(|event| event.note.as_deref()).collect();
        assert_eq!(notes, [] as [&str; 0], "{format}");
        let [red, green] = &events[2].fragments[..] else { panic!("{:?}", events[2]) };
        assert_eq!((red.primitive, green.primitive), (Some(0), Some(1)));
        assert_eq!(red.output, Texel::Float(RED));
        assert_eq!(green.output, Texel::Float(GREEN));
        let near = |z: f32, expected: f32| assert!((z - expected).abs() < 1e-4, "{z}");
        near(red.depth, 0.5);
        near(green.depth, 0.75);
        assert_eq!((red.dropped.as_deref(), red.after), (None, color(255, 0, 0, 255)));
        let why = green.dropped.as_deref().expect("it fell");
        assert!(why.starts_with("depth test: 0.75"), "{why}");
        assert_eq!(events[2].after, color(255, 0, 0, 255));

        let [blue] = &events[3].fragments[..] else { panic!("{:?}", events[3]) };
        near(blue.depth, 0.25);
        assert_eq!(blue.output, Texel::Float([0.0, 0.0, 1.0, 0.2]));
        // 0.2 · (0, 0, 1, 0.2) + 0.8 · (1, 0, 0, 1) = (0.8, 0, 0.2, 0.84).
        assert_eq!(blue.after, color(204, 0, 51, 214));
        assert_eq!(events[3].before, color(255, 0, 0, 255));
        assert_eq!(events[3].after, color(204, 0, 51, 214));
    }
}

#[test]
fn blended_fragments_of_one_draw_are_told_apart() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.blend(RenderTargetBlendState::uniform(
            BlendFunc::Add,
            BlendFactor::One,
            BlendFactor::One,
        ));
        let part = |value: f32| whole(0.0, [value, 0.0, 0.0, 0.0]);
        stage.draw(&[part(0.2), part(0.4), part(0.2)].concat());
    });
    let events = of_pixel(&inspector(trace));
    let draw = events.last().expect("a draw");
    assert_eq!(draw.note, None);
    let after: Vec<_> = draw.fragments.iter().map(|fragment| fragment.after).collect();
    // 0.2, 0.2 + 0.4, 0.2 + 0.4 + 0.2 of 255.
    assert_eq!(after, [color(51, 0, 0, 255), color(153, 0, 0, 255), color(204, 0, 0, 255)]);
}

#[test]
fn each_test_that_drops_a_fragment_is_named() {
    let kill = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n\
        IMM[0] FLT32 {-0.5, -0.5, -0.5, -0.5}\nDCL TEMP[0]\nADD TEMP[0], IN[0], IMM[0]\n\
        KILL_IF TEMP[0].xxxx\nMOV OUT[0], IN[0]\nEND\n";
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        // The shader discards red below 0.5: the second of three.
        let kept = stage.shader(ShaderType::Fragment, kill);
        stage
            .draw(&[whole(0.0, RED), whole(0.0, GREEN), whole(0.0, [0.8, 0.0, 0.0, 1.0])].concat());
        stage.shader(ShaderType::Fragment, crate::scene::FRAGMENT);
        stage.depth(&DepthStencilAlphaState {
            alpha_enabled: true,
            alpha_func: CompareFunc::Greater,
            alpha_ref_value: 0.5,
            ..DepthStencilAlphaState::default()
        });
        stage.draw(&whole(0.0, [0.0, 0.0, 1.0, 0.25]));
        let mut state = DepthStencilAlphaState::default();
        state.stencil[0] =
            StencilState { enabled: true, func: CompareFunc::Equal, ..StencilState::default() };
        stage.context.set_stencil_ref(StencilRef { ref_value: [7, 7] });
        stage.depth(&state);
        stage.draw(&whole(0.0, GREEN));
        stage.context.delete_shader_state(kept).expect("not bound");
    });
    let events = of_pixel(&inspector(trace));
    let draws: Vec<_> = events.iter().filter(|event| event.name == "draw_vbo").collect();
    assert_eq!(draws.len(), 3);
    assert!(draws.iter().all(|draw| draw.note.is_none()), "{draws:?}");
    let why = |draw: usize| -> Vec<Option<&str>> {
        draws[draw].fragments.iter().map(|fragment| fragment.dropped.as_deref()).collect()
    };
    assert_eq!(why(0), [None, Some("the shader discarded it"), None]);
    assert_eq!(draws[0].after, color(204, 0, 0, 255));
    assert_eq!(why(1), [Some("alpha test: 0.25 is not Greater 0.5")]);
    assert_eq!(why(2), [Some("stencil test: reference 7 is not Equal the stored 0")]);
    assert_eq!(draws[2].after, color(204, 0, 0, 255), "nothing changed");
}

#[test]
fn the_recording_goes_on_as_recorded_after_a_measurement() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, RED));
        stage.draw(&whole(0.5, GREEN));
    });
    let inspector = inspector(trace);
    of_pixel(&inspector);
    let last = inspector.listing().count();
    let errors: Vec<String> = inspector
        .at(last, move |session| {
            Ok((1..=last).filter_map(|call| session.error_of(call).map(str::to_owned)).collect())
        })
        .expect("played");
    assert_eq!(errors, Vec::<String>::new());
}

/// Two draws to a target with four samples: red left of column 4.5, then green everywhere and farther.
fn red_and_green(more: impl FnOnce(&mut crate::scene::Stage<'_, '_>)) -> Inspector {
    inspector(sampled(Format::Z24UnormS8Uint, 4, |stage| {
        stage.rasterizer(&RasterizerState { multisample: true, ..RasterizerState::default() });
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        let corner = |x, y| [x, y, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        stage.draw(&[corner(0.125, -3.0), corner(0.125, 5.0), corner(-7.0, 1.0)]);
        stage.draw(&whole(0.5, GREEN));
        more(stage);
    }))
}

#[test]
fn a_sample_has_its_own_fragments() {
    let inspector = red_and_green(|_| {});
    let [first, second] = draws(&inspector)[..] else { panic!("two draws") };
    // The four samples are at x = 6, 14, 2 and 10 sixteenths of the pixel: 0 and 2 are in the left half.
    for (sample, is_left) in [(0, true), (1, false), (2, true), (3, false)] {
        let events = of_sample(&inspector, Some(sample));
        let events: Vec<_> = events.iter().filter(|it| it.name == "draw_vbo").collect();
        assert!(events.iter().all(|it| it.note.is_none()), "{events:?}");
        let fates: Vec<_> = events
            .iter()
            .flat_map(|event| event.fragments.iter().map(|it| (event.call, it)))
            .map(|(call, it)| (call, it.output, it.dropped.as_deref(), it.after))
            .collect();
        let red = (first, Texel::Float(RED), None, color(255, 0, 0, 255));
        match is_left {
            true => {
                let [left, (call, output, dropped, _)] = fates[..] else { panic!("{fates:?}") };
                assert_eq!(left, red);
                assert_eq!((call, output), (second, Texel::Float(GREEN)));
                // The depths are interpolated at the sample.
                let why = dropped.expect("it fell");
                assert!(why.starts_with("depth test: 0.75"), "{why}");
                assert!(why.contains("is not Less the stored 0.5"), "{why}");
                assert_eq!(events[1].after, color(255, 0, 0, 255));
            }
            false => {
                let green = (second, Texel::Float(GREEN), None, color(0, 255, 0, 255));
                assert_eq!(fates, [green], "sample {sample}");
            }
        }
    }
}

#[test]
fn the_shader_runs_for_each_sample_and_the_mask_leaves_samples_out() {
    let inspector = red_and_green(|stage| {
        // The alpha of sample n is n / 8, and the colour is added.
        stage.shader(
            ShaderType::Fragment,
            "FRAG\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
             IMM[0] FLT32 {0.2, 0.0, 0.0, 0.0}\nU2F TEMP[0].x, SV[0].xxxx\n\
             MUL OUT[0], TEMP[0].xxxx, IMM[0].xyyy\nEND\n",
        );
        stage.depth(&DepthStencilAlphaState::default());
        stage.blend(RenderTargetBlendState::uniform(
            BlendFunc::Add,
            BlendFactor::One,
            BlendFactor::One,
        ));
        stage.context.set_sample_mask(0b1011);
        stage.draw(&whole(0.0, [0.0; 4]));
    });
    let third = draws(&inspector)[2];
    let event = |sample| {
        let events = of_sample(&inspector, Some(sample));
        let found = events.into_iter().find(|event| event.call == third).expect("an event");
        assert_eq!(found.note, None);
        found
    };
    // Sample 1 is green before, sample 3 too. 0.2 · 1 of 255 is 51, 0.2 · 3 is 153.
    for (sample, after) in [(1, color(51, 255, 0, 255)), (3, color(153, 255, 0, 255))] {
        let event = event(sample);
        let [fragment] = &event.fragments[..] else { panic!("{event:?}") };
        assert_eq!((fragment.dropped.as_deref(), fragment.after), (None, after));
    }
    let event = event(2);
    let [fragment] = &event.fragments[..] else { panic!("{event:?}") };
    assert_eq!(fragment.dropped.as_deref(), Some("the sample mask 0xb leaves sample 2 out"));
    assert_eq!(event.after, color(255, 0, 0, 255));
}

#[test]
fn samples_of_a_pixel_are_counted() {
    let trace = sampled(Format::Z24UnormS8Uint, 4, |stage| {
        stage.rasterizer(&RasterizerState { multisample: true, ..RasterizerState::default() });
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        // The area left of column 4.5, where two of the four samples of column 4 are.
        let corner = |x, y| [x, y, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        stage.draw(&[corner(0.125, -3.0), corner(0.125, 5.0), corner(-7.0, 1.0)]);
        // Farther than the first draw: the other two samples are left.
        stage.draw(&whole(0.5, GREEN));
        // Not at the pixel.
        stage.draw(&[corner(0.9, 0.9), corner(1.0, 0.9), corner(0.9, 1.0)]);
    });
    let inspector = inspector(trace);
    let [first, second, _] = draws(&inspector)[..] else { panic!("three draws") };
    let events = of_pixel(&inspector);
    let calls: Vec<_> = events.iter().filter(|it| it.name == "draw_vbo").collect();
    let [one, two] = calls[..] else { panic!("{events:?}") };
    assert_eq!((one.call, two.call), (first, second));
    assert_eq!(one.samples, [("rasterized", 2), ("after the depth test", 2)]);
    assert_eq!(two.samples, [("rasterized", 4), ("after the depth test", 2)]);
    // The mean of two red and two black samples, then of two red and two green ones.
    let near = |texel: Option<Texel>, expected: [f32; 4]| {
        let Some(Texel::Float(values)) = texel else { panic!("a colour") };
        let is_near = values.iter().zip(expected).all(|(it, of)| (it - of).abs() < 1.0 / 255.0);
        assert!(is_near, "{values:?}");
    };
    near(one.before, [0.0, 0.0, 0.0, 1.0]);
    near(one.after, [0.5, 0.0, 0.0, 1.0]);
    near(two.after, [0.5, 0.5, 0.0, 1.0]);
    assert_eq!((&one.note, one.fragments.len()), (&None, 0));
}
