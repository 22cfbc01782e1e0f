//! Shaders designed to compile slowly: for each part of the compiler with work that may exceed the
//! size of the text, the text that causes the most work.

use std::fmt::Write;

/// A generator: a name, and a function from a size to a text that grows with it.
pub(crate) type Nasty = (&'static str, fn(usize) -> String);

/// Every generator.
pub(crate) const NASTY: &[Nasty] = &[
    ("calls that double thirty times", doubling_calls),
    ("a loop that calls many subroutines", many_subroutines),
    ("loops that each look through the same subroutines", loops_of_calls),
    ("calls far before their subroutine", far_calls),
    ("calls that skip a dead branch", dead_branches),
    ("a loop that rotates its variables", rotating_phis),
    ("breaks that take many variables along", breaks_with_variables),
    ("a rotation and breaks from it", rotation_with_breaks),
    ("loops within each other", nested_loops),
    ("loops after each other around many values", loops_after_loops),
    ("branches within each other over uniform values", nested_ifs_of_uniforms),
    ("branches within each other over many variables", nested_ifs_of_variables),
    ("a chain of else and if", else_chain),
    ("branches after each other", many_ifs),
    ("cases that fall through with many variables", cases_with_variables),
    ("switches within each other", nested_switches),
    ("many temporaries", many_temporaries),
    ("many immediates", many_immediates),
    ("immediates that share a slot of the hash table", colliding_immediates),
    ("many different indirect accesses", indirect_accesses),
    ("many arrays", many_arrays),
    ("many inputs, each declared by itself", many_inputs),
    ("outputs declared many times", many_outputs),
    ("pairs of views and samplers", views_and_samplers),
    ("a range of samplers indexed at run time", indirect_samplers),
    ("calls of 32 levels", deep_calls),
    ("long arithmetic", long_arithmetic),
    ("many lookups", many_lookups),
    ("many 64-bit operations", many_wides),
];

const HEAD: &str =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..31]\n";

fn text(head: &str, body: impl FnOnce(&mut String)) -> String {
    let mut text = format!("{HEAD}{head}");
    body(&mut text);
    text.push_str("END\n");
    text
}

fn line(text: &mut String, args: std::fmt::Arguments<'_>) {
    writeln!(text, "{args}").unwrap();
}

/// Adds `count` subroutines. `body` writes each body; it gets the number of the subroutine and a
/// function from a subroutine's number to its label.
fn subroutines(
    text: &mut String,
    count: usize,
    first_label: usize,
    length: usize,
    body: impl Fn(&mut String, usize, &dyn Fn(usize) -> usize),
) {
    let label = move |at: usize| first_label + at * (length + 2);
    text.push_str("END\n");
    for at in 0..count {
        text.push_str("BGNSUB\n");
        body(text, at, &label);
        text.push_str("ENDSUB\n");
    }
}

/// 65 subroutines, to fill any list of visited ones, then 30 that call the next one three times.
fn doubling_calls(size: usize) -> String {
    let (flat, deep) = (65, 30.min(size));
    let mut text = format!("{HEAD}BGNLOOP\n");
    let first = flat + 5;
    let label = |at: usize| first + if at < flat { at * 3 } else { flat * 3 + (at - flat) * 6 };
    for at in 0..=flat {
        line(&mut text, format_args!("CAL :{}", label(at)));
    }
    text.push_str("BRK\nENDLOOP\nNOP\nEND\n");
    for _ in 0..flat {
        text.push_str("BGNSUB\nRET\nENDSUB\n");
    }
    for at in flat..flat + deep {
        text.push_str("BGNSUB\n");
        for _ in 0..3 {
            line(&mut text, format_args!("CAL :{}", label(at + 1)));
        }
        text.push_str("RET\nENDSUB\n");
    }
    text + "BGNSUB\nNOP\nNOP\nNOP\nRET\nENDSUB\n"
}

fn many_subroutines(size: usize) -> String {
    let mut text = format!("{HEAD}DCL TEMP[0]\nBGNLOOP\n");
    for at in 0..size {
        line(&mut text, format_args!("CAL :{}", size + 4 + at * 3));
    }
    text.push_str("BRK\nENDLOOP\nNOP\n");
    subroutines(&mut text, size, 0, 1, |text, _, _| text.push_str("ADD TEMP[0], TEMP[0], IN[0]\n"));
    text
}

fn loops_of_calls(size: usize) -> String {
    let mut text = format!("{HEAD}DCL TEMP[0]\n");
    for _ in 0..size {
        line(&mut text, format_args!("BGNLOOP\nCAL :{}\nBRK\nENDLOOP", size * 4 + 1));
    }
    subroutines(&mut text, 1, 0, 0, |text, _, _| {
        text.push_str(&"NOP\n".repeat(size));
    });
    text
}

fn far_calls(size: usize) -> String {
    let mut text = HEAD.to_string();
    text.push_str(&"CAL :0\n".repeat(size));
    text.push_str(&"NOP\n".repeat(size));
    subroutines(&mut text, 1, 0, 0, |text, _, _| text.push_str("NOP\n"));
    text
}

fn dead_branches(size: usize) -> String {
    let mut text = format!("{HEAD}IMM[0] UINT32 {{0, 0, 0, 0}}\n");
    text.push_str(&"CAL :0\n".repeat(size));
    subroutines(&mut text, 1, 0, 0, |text, _, _| {
        text.push_str("UIF IMM[0].xxxx\n");
        text.push_str(&"NOP\n".repeat(size));
        text.push_str("ENDIF\n");
    });
    text
}

fn rotate(text: &mut String, size: usize) {
    line(text, format_args!("MOV TEMP[{size}], TEMP[0]"));
    for at in 0..size {
        line(text, format_args!("MOV TEMP[{at}], TEMP[{}]", at + 1));
    }
}

fn rotating_phis(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        text.push_str("BGNLOOP\nIF TEMP[0].xxxx\nBRK\nENDIF\n");
        rotate(text, size);
        text.push_str("ENDLOOP\nMOV OUT[0], TEMP[0]\n");
    })
}

fn breaks_with_variables(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        text.push_str("BGNLOOP\n");
        for _ in 0..size {
            text.push_str("IF IN[0].xxxx\nBRK\nENDIF\n");
        }
        for at in 0..size {
            line(text, format_args!("MOV TEMP[{at}], TEMP[{at}]"));
        }
        text.push_str("ENDLOOP\nMOV OUT[0], TEMP[0]\n");
    })
}

fn rotation_with_breaks(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        text.push_str("BGNLOOP\n");
        rotate(text, size);
        for _ in 0..size {
            text.push_str("IF IN[0].xxxx\nBRK\nENDIF\n");
        }
        text.push_str("ENDLOOP\nMOV OUT[0], TEMP[0]\n");
    })
}

fn nested_loops(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        let depth = 200.min(size);
        text.push_str(&"BGNLOOP\n".repeat(depth));
        for at in 0..size {
            line(text, format_args!("ADD TEMP[{at}], TEMP[{at}], IN[0]"));
        }
        text.push_str(&"IF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\n".repeat(depth));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn loops_after_loops(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        for at in 0..size {
            line(text, format_args!("MUL TEMP[{at}], IN[0], CONST[{}].x{}", at % 32, "yzw"));
        }
        text.push_str("BGNLOOP\n");
        for at in 0..size {
            line(text, format_args!("BGNLOOP\nADD OUT[0], OUT[0], TEMP[{at}]\nBRK\nENDLOOP"));
        }
        text.push_str("IF OUT[0].xxxx\nBRK\nENDIF\nENDLOOP\n");
    })
}

fn nested_ifs_of_uniforms(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        let depth = 200.min(size);
        text.push_str(&"IF IN[0].xxxx\n".repeat(depth));
        for at in 0..size {
            let (a, b) = (at % 32, at / 32 % 32);
            line(text, format_args!("ADD TEMP[{at}], CONST[{a}], CONST[{b}]"));
        }
        text.push_str(&"ENDIF\n".repeat(depth));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn nested_ifs_of_variables(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        let depth = 200.min(size);
        text.push_str(&"IF IN[0].xxxx\n".repeat(depth));
        for at in 0..size {
            line(text, format_args!("MOV TEMP[{at}], IN[0]"));
        }
        text.push_str(&"ENDIF\n".repeat(depth));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn else_chain(size: usize) -> String {
    text("DCL TEMP[0..3]\n", |text| {
        for _ in 0..size / 200 + 1 {
            let depth = 200.min(size);
            for at in 0..depth {
                line(
                    text,
                    format_args!(
                        "IF CONST[{}].xxxx\nADD TEMP[{}], TEMP[0], IN[0]\nELSE",
                        at % 32,
                        at % 4
                    ),
                );
            }
            text.push_str(&"ENDIF\n".repeat(depth));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_ifs(size: usize) -> String {
    text("DCL TEMP[0..3]\n", |text| {
        for at in 0..size {
            let to = at % 4;
            line(
                text,
                format_args!(
                    "IF TEMP[{to}].xxxx\nEX2 TEMP[{to}], TEMP[{to}].yyyy\nELSE\nLG2 TEMP[{to}], IN[0].xxxx\nENDIF"
                ),
            );
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn cases_with_variables(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        text.push_str("SWITCH IN[0].xxxx\nCASE IN[0].yyyy\n");
        for at in 0..size {
            line(text, format_args!("MOV TEMP[{at}], TEMP[{at}]"));
        }
        text.push_str(&"CASE IN[0].yyyy\n".repeat(size));
        text.push_str("ENDSWITCH\nMOV OUT[0], TEMP[0]\n");
    })
}

fn nested_switches(size: usize) -> String {
    text("DCL TEMP[0]\n", |text| {
        let depth = 200.min(size);
        text.push_str(&"SWITCH IN[0].xxxx\nDEFAULT\n".repeat(depth));
        text.push_str(&"ADD TEMP[0], TEMP[0], IN[0]\n".repeat(size));
        text.push_str(&"ENDSWITCH\n".repeat(depth));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_temporaries(size: usize) -> String {
    text(&format!("DCL TEMP[0..{size}]\n"), |text| {
        for at in 0..size {
            line(text, format_args!("EX2 TEMP[{}], TEMP[{at}].xxxx", at + 1));
        }
        for at in 0..size {
            line(text, format_args!("ADD OUT[0], OUT[0], TEMP[{at}]"));
        }
    })
}

fn many_immediates(size: usize) -> String {
    let value = |at: usize| at as f32 + 0.5;
    immediates(size, |at| value(at).to_bits())
}

fn immediates(size: usize, bits: impl Fn(usize) -> u32) -> String {
    text("DCL TEMP[0]\n", |text| {
        for at in 0..size {
            let words: [u32; 4] = std::array::from_fn(|word| bits(4 * at + word));
            let [x, y, z, w] = words;
            line(text, format_args!("IMM[{at}] UINT32 {{{x}, {y}, {z}, {w}}}"));
        }
        for at in 0..size.min(32768) {
            line(text, format_args!("ADD TEMP[0], TEMP[0], IMM[{at}]"));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

/// Constants with hashes that agree in their low 16 bits: inverts the compiler's hash.
fn colliding_immediates(size: usize) -> String {
    const MULTIPLIER: u32 = 0x9E37_79B1;
    // Newton's iteration doubles the number of correct bits: 5, 10, 20, 40.
    let inverse = (0..4).fold(MULTIPLIER, |inverse, _| {
        inverse.wrapping_mul(2u32.wrapping_sub(MULTIPLIER.wrapping_mul(inverse)))
    });
    // A constant node, and its two missing operands.
    let seed = (gallium_tgsi::exec::OpCode::Mov as u32) << 8 | 1;
    immediates(size, |at| {
        let hash = (at as u32) << 16;
        let mut word = hash ^ hash >> 15 ^ hash >> 30;
        for _ in 0..2 {
            word = (word.wrapping_mul(inverse) ^ u32::MAX).rotate_right(5);
        }
        word.wrapping_mul(inverse) ^ seed.rotate_left(5)
    })
}

fn indirect_accesses(size: usize) -> String {
    text("DCL TEMP[0..1], LOCAL\nDCL ADDR[0]\n", |text| {
        text.push_str("UARL ADDR[0].x, IN[0].xxxx\n");
        for at in 0..size {
            line(text, format_args!("ADD TEMP[0], TEMP[0], CONST[ADDR[0].x+{}]", at % 32768));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_arrays(size: usize) -> String {
    let arrays = 1023.min(size);
    let mut head = String::from("DCL ADDR[0]\n");
    for at in 0..arrays {
        line(&mut head, format_args!("DCL TEMP[{}..{}], ARRAY({})", 2 * at, 2 * at + 1, at + 1));
    }
    text(&head, |text| {
        text.push_str("UARL ADDR[0].x, IN[0].xxxx\n");
        for at in 0..size {
            let (array, first) = (at % arrays + 1, at % arrays * 2);
            line(
                text,
                format_args!("MOV TEMP[ADDR[0].x+{first}]({array}), TEMP[{}]", 2 * arrays - 1),
            );
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_inputs(size: usize) -> String {
    let mut head = String::from("DCL TEMP[0]\n");
    let size = size.min(32766);
    for at in 1..=size {
        line(&mut head, format_args!("DCL IN[{at}], GENERIC[{at}], PERSPECTIVE"));
    }
    text(&head, |text| {
        for at in (1..=size).rev() {
            line(text, format_args!("ADD TEMP[0], TEMP[0], IN[{at}]"));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_outputs(size: usize) -> String {
    let head = "DCL OUT[0..32767], GENERIC[0]\n".repeat(size);
    text(&head, |text| text.push_str("MOV OUT[32767], IN[0]\n"))
}

fn views_and_samplers(size: usize) -> String {
    let mut head = String::from("DCL TEMP[0]\nDCL SAMP[0..255]\n");
    for at in 0..256 {
        line(&mut head, format_args!("DCL SVIEW[{at}], 2D, FLOAT"));
    }
    text(&head, |text| {
        for at in 0..size {
            let (view, sampler) = (at % 256, at / 256 % 256);
            line(text, format_args!("SAMPLE TEMP[0], IN[0], SVIEW[{view}], SAMP[{sampler}]"));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn indirect_samplers(size: usize) -> String {
    text("DCL TEMP[0]\nDCL ADDR[0]\nDCL SAMP[0..255], ARRAY(1)\n", |text| {
        text.push_str("UARL ADDR[0].x, IN[0].xxxx\n");
        for at in 0..size {
            let target = ["2D", "3D", "CUBE", "1D", "RECT", "BUFFER"][at % 6];
            line(text, format_args!("TEX TEMP[0], IN[0], SAMP[ADDR[0].x](1), {target}"));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn deep_calls(size: usize) -> String {
    let (depth, each) = (32, size / 32 + 1);
    let mut text = format!("{HEAD}DCL TEMP[0]\nCAL :2\n");
    subroutines(&mut text, depth, 2, each + 1, |text, at, label| {
        text.push_str(&"ADD TEMP[0], TEMP[0], IN[0]\n".repeat(each));
        match at + 1 < depth {
            true => line(text, format_args!("CAL :{}", label(at + 1))),
            false => text.push_str("MOV OUT[0], TEMP[0]\n"),
        }
    });
    text
}

fn long_arithmetic(size: usize) -> String {
    text("DCL TEMP[0..7]\n", |text| {
        for at in 0..size {
            let (to, from) = (at % 8, at * 5 % 8);
            line(text, format_args!("LRP TEMP[{to}], TEMP[{from}], IN[0], TEMP[{to}]"));
        }
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_lookups(size: usize) -> String {
    text("DCL TEMP[0]\nDCL SAMP[0]\n", |text| {
        text.push_str(&"TXD TEMP[0], TEMP[0], IN[0], IN[0], SAMP[0], 3D\n".repeat(size));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}

fn many_wides(size: usize) -> String {
    text("DCL TEMP[0]\n", |text| {
        text.push_str(&"DFMA TEMP[0], -TEMP[0], |TEMP[0]|, IN[0].zwxy\n".repeat(size));
        text.push_str("MOV OUT[0], TEMP[0]\n");
    })
}
