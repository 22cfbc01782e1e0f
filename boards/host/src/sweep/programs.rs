//! Fragment programs: features of shaders, against arithmetic of as many instructions.

use super::setup::Setup;
use super::{Group, LIMIT};

/// The ratio that arithmetic on doubles may cost.
const DOUBLES_LIMIT: f64 = 4.0;

/// Returns a program of `body`, which reads `IN[0]` and leaves its result in `TEMP[0]`.
fn program(body: &str) -> String {
    format!(
        "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..3]
DCL TEMP[4..7], ARRAY(1), LOCAL
DCL ADDR[0]
IMM[0] FLT32 {{ 0.5, 0.25, 2.0, 1.0 }}
IMM[1] INT32 {{ 1, 3, 8, 0 }}
MOV TEMP[0], IN[0]
{body}MOV OUT[0], TEMP[0]
END"
    )
}

/// Returns `line` eight times.
fn eight(line: &str) -> String {
    format!("{line}\n").repeat(8)
}

/// The features: name, limit and body, of eight steps each.
fn features() -> [(&'static str, f64, String); 14] {
    let simple = |name, line| (name, LIMIT, eight(line));
    [
        simple("RCP, RSQ", "RCP TEMP[0].x, TEMP[0].yyyy\nRSQ TEMP[0].y, TEMP[0].xxxx"),
        simple("EX2, LG2", "EX2 TEMP[0].x, TEMP[0].yyyy\nLG2 TEMP[0].y, TEMP[0].xxxx"),
        simple("SIN, COS", "SIN TEMP[0].x, TEMP[0].yyyy\nCOS TEMP[0].y, TEMP[0].xxxx"),
        simple("derivatives", "DDX TEMP[0], TEMP[0]"),
        simple("integers", "F2I TEMP[1], TEMP[0]\nUMAD TEMP[0], TEMP[1], IMM[1].yyyy, IMM[1].xxxx"),
        simple("integer division", "UDIV TEMP[0], TEMP[0], IMM[1].yyyy"),
        (
            "branch, uniform",
            LIMIT,
            eight("IF IMM[0].xxxx\nMAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx\nENDIF"),
        ),
        (
            "branch, divergent",
            LIMIT,
            eight(
                "FRC TEMP[1].x, IN[1].xxxx\nFSLT TEMP[1].x, IN[0].xxxx, IMM[0].xxxx\nUIF TEMP[1].xxxx\n\
                 MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx\nELSE\n\
                 MAD TEMP[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy\nENDIF",
            ),
        ),
        (
            "loop",
            LIMIT,
            "MOV TEMP[1].x, IMM[1].wwww\nBGNLOOP\nUSGE TEMP[1].y, TEMP[1].xxxx, IMM[1].zzzz\n\
             UIF TEMP[1].yyyy\nBRK\nENDIF\n\
             MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx\n\
             ENDLOOP\n"
                .into(),
        ),
        (
            "indirect addressing",
            LIMIT,
            "MOV TEMP[4], TEMP[0]\nMOV TEMP[5], IMM[0]\nMOV TEMP[6], TEMP[0]\nMOV TEMP[7], IMM[0]\n\
             MUL TEMP[1], IN[0], IMM[0].zzzz\n"
                .to_owned()
                + &eight("ARL ADDR[0].x, TEMP[1].xxxx\nADD TEMP[0], TEMP[0], TEMP[ADDR[0].x+4](1)"),
        ),
        ("KILL_IF, none", LIMIT, eight("KILL_IF IMM[0].xxxx\nMUL TEMP[0], TEMP[0], IMM[0].xxxx")),
        (
            "KILL_IF, half",
            LIMIT,
            "ADD TEMP[1], IN[0], -IMM[0].xxxx\nKILL_IF TEMP[1].xxxx\n".to_owned()
                + &eight("MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx"),
        ),
        (
            "fragment depth",
            LIMIT,
            eight("MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx"),
        ),
        (
            "doubles",
            DOUBLES_LIMIT,
            "F2D TEMP[1].xy, TEMP[0].xxxx\nF2D TEMP[1].zw, TEMP[0].yyyy\n".to_owned()
                + &eight("DMUL TEMP[1], TEMP[1], TEMP[1]")
                + "D2F TEMP[0].x, TEMP[1].xyxy\n",
        ),
    ]
}

/// Returns the group of shader features.
pub(super) fn groups() -> Vec<Group> {
    let arithmetic = program(&eight("MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx"));
    let baseline = Setup { fragment: arithmetic, ..Setup::default() };
    let mut group = Group::new("program", baseline);
    for (name, limit, body) in features() {
        group.vary_within(limit, name, |setup| {
            setup.fragment = program(&body);
            if name == "fragment depth" {
                setup.fragment = setup
                    .fragment
                    .replace("DCL OUT[0], COLOR\n", "DCL OUT[0], COLOR\nDCL OUT[1], POSITION\n")
                    .replace("\nEND", "\nMOV OUT[1].z, TEMP[0].xxxx\nEND");
            }
        });
    }
    vec![group]
}
