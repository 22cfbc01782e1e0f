//! Fragment programs: compares features of shaders with arithmetic of the same length.

use super::Group;
use super::setup::Setup;

/// The maximum ratio for arithmetic on doubles.
const DOUBLES_LIMIT: f64 = 4.0;

/// A step of arithmetic.
const STEP: &str = "MAD TEMP[0], TEMP[0], IMM[0].yyyy, IMM[0].xxxx";

/// Returns a program with a body that reads `IN[0]` and leaves its result in `TEMP[0]`.
///
/// * `declarations`: declarations of registers that other programs do not have.
fn program(declarations: &str, body: &str) -> String {
    format!(
        "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..3]
DCL TEMP[4..7], ARRAY(1), LOCAL
DCL ADDR[0]
{declarations}IMM[0] FLT32 {{ 0.5, 0.25, 2.0, 1.0 }}
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

/// Returns the features, by name, with bodies of eight steps each.
fn features() -> [(&'static str, String); 12] {
    [
        ("RCP, RSQ", eight("RCP TEMP[0].x, TEMP[0].yyyy\nRSQ TEMP[0].y, TEMP[0].xxxx")),
        ("EX2, LG2", eight("EX2 TEMP[0].x, TEMP[0].yyyy\nLG2 TEMP[0].y, TEMP[0].xxxx")),
        ("SIN, COS", eight("SIN TEMP[0].x, TEMP[0].yyyy\nCOS TEMP[0].y, TEMP[0].xxxx")),
        ("derivatives", eight("DDX TEMP[0], TEMP[0]")),
        (
            "integers",
            eight("F2I TEMP[1], TEMP[0]\nUMAD TEMP[0], TEMP[1], IMM[1].yyyy, IMM[1].xxxx"),
        ),
        ("integer division", eight("UDIV TEMP[0], TEMP[0], IMM[1].yyyy")),
        ("branch, uniform", eight(&format!("IF IMM[0].xxxx\n{STEP}\nENDIF"))),
        (
            "branch, divergent",
            eight(&format!(
                "FRC TEMP[1].x, IN[1].xxxx\nFSLT TEMP[1].x, IN[0].xxxx, IMM[0].xxxx\n\
                 UIF TEMP[1].xxxx\n{STEP}\nELSE\n\
                 MAD TEMP[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy\nENDIF"
            )),
        ),
        (
            "loop",
            format!(
                "MOV TEMP[1].x, IMM[1].wwww\nBGNLOOP\n\
                 USGE TEMP[1].y, TEMP[1].xxxx, IMM[1].zzzz\nUIF TEMP[1].yyyy\nBRK\nENDIF\n\
                 {STEP}\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[1].xxxx\nENDLOOP\n"
            ),
        ),
        (
            "indirect addressing",
            "MOV TEMP[4], TEMP[0]\nMOV TEMP[5], IMM[0]\nMOV TEMP[6], TEMP[0]\nMOV TEMP[7], IMM[0]\n\
             MUL TEMP[1], IN[0], IMM[0].zzzz\n"
                .to_owned()
                + &eight("ARL ADDR[0].x, TEMP[1].xxxx\nADD TEMP[0], TEMP[0], TEMP[ADDR[0].x+4](1)"),
        ),
        ("KILL_IF, none", eight("KILL_IF IMM[0].xxxx\nMUL TEMP[0], TEMP[0], IMM[0].xxxx")),
        (
            "KILL_IF, half",
            "ADD TEMP[1], IN[0], -IMM[0].xxxx\nKILL_IF TEMP[1].xxxx\n".to_owned() + &eight(STEP),
        ),
    ]
}

/// Returns the group of shader features.
pub(super) fn groups() -> Vec<Group> {
    let arithmetic = eight(STEP);
    let baseline = Setup { fragment: program("", &arithmetic), ..Setup::default() };
    let mut group = Group::new("program", baseline);
    for (name, body) in features() {
        group.vary(name, |setup| setup.fragment = program("", &body));
    }
    group.vary("fragment depth", |setup| {
        let body = arithmetic + "MOV OUT[1].z, TEMP[0].xxxx\n";
        setup.fragment = program("DCL OUT[1], POSITION\n", &body);
    });
    group.vary_within(DOUBLES_LIMIT, "doubles", |setup| {
        let body = "F2D TEMP[1].xy, TEMP[0].xxxx\nF2D TEMP[1].zw, TEMP[0].yyyy\n".to_owned()
            + &eight("DMUL TEMP[1], TEMP[1], TEMP[1]")
            + "D2F TEMP[0].x, TEMP[1].xyxy\n";
        setup.fragment = program("", &body);
    });
    vec![group]
}
