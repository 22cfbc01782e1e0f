//! Mesa's idiom for an absolute value: `MAX d, x, -x`.
//!
//! The maximum of +0 and -0 may be either, so `floatBitsToInt(abs(0.0))` could come out negative.
//! TGSI has the absolute value as a modifier of operands, which is exact and costs nothing.

use std::borrow::Cow;

/// Returns the shader `text` with `MOV d, |x|` for each `MAX d, x, -x`.
pub(super) fn with_absolute_values(text: &str) -> Cow<'_, str> {
    if !text.contains(": MAX") {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| match absolute_value(line) {
        Some(line) => Cow::Owned(line),
        None => Cow::Borrowed(line),
    });
    Cow::Owned(lines.collect())
}

/// Returns the line that replaces `line`, if that is a maximum of an operand and its negation.
fn absolute_value(line: &str) -> Option<String> {
    let (number, instruction) = line.split_once(": MAX")?;
    // The rest of the opcode is a suffix such as `_SAT`.
    let (suffix, operands) = instruction.trim_end().split_once(' ')?;
    let mut operands = operands.split(", ");
    let (destination, a, b) = (operands.next()?, operands.next()?, operands.next()?);
    let plain = operands.next().is_none() && !a.starts_with(['-', '|']);
    (plain && b.strip_prefix('-') == Some(a))
        .then(|| format!("{number}: MOV{suffix} {destination}, |{a}|\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_of_an_operand_and_its_negation_is_an_absolute_value() {
        let text = "FRAG\nDCL OUT[0], COLOR\n\
                    \x20 0: MAX TEMP[3].xyz, CONST[ADDR[0].x+1].xxyw, -CONST[ADDR[0].x+1].xxyw\n\
                    \x20 1: MAX_SAT OUT[0], TEMP[3], -TEMP[3]\n\
                    \x20 2: END\n";
        let expected = "FRAG\nDCL OUT[0], COLOR\n\
                        \x20 0: MOV TEMP[3].xyz, |CONST[ADDR[0].x+1].xxyw|\n\
                        \x20 1: MOV_SAT OUT[0], |TEMP[3]|\n\
                        \x20 2: END\n";
        assert_eq!(with_absolute_values(text), expected);
    }

    #[test]
    fn other_maxima_stay() {
        for line in [
            "  0: MAX TEMP[0], TEMP[1], TEMP[2]\n",
            "  0: MAX TEMP[0], TEMP[1].xyzw, -TEMP[1].xxyw\n",
            "  0: MAX TEMP[0], -TEMP[1], --TEMP[1]\n",
            "  0: MAX TEMP[0], |TEMP[1]|, -|TEMP[1]|\n",
            "  0: MAX TEMP[0]",
        ] {
            assert_eq!(with_absolute_values(line), line);
        }
    }
}
