//! Words that were removed from TGSI and that the parser does not expand, so that errors can name
//! them.

/// The removed words, each with the expected replacement.
const GONE: [(&str, &str); 9] = [
    ("ARA", "an opcode of today's TGSI (ARA left it: compute addresses by ARL, ARR or UARL)"),
    ("BRA", "an opcode of today's TGSI (BRA left it: branch by IF or UIF)"),
    ("PUSHA", "an opcode of today's TGSI (PUSHA left it: keep addresses in temporaries)"),
    ("POPA", "an opcode of today's TGSI (POPA left it: keep addresses in temporaries)"),
    ("SETP", "an opcode of today's TGSI (predicates left it: select by CMP, UCMP or IF)"),
    ("PRED", "a register of today's TGSI (predicates left it: select by CMP, UCMP or IF)"),
    ("IMMX", "a register of today's TGSI (IMMX left it: declare an array of temporaries)"),
    ("TEMPX", "a register of today's TGSI (TEMPX left it: declare an array of temporaries)"),
    ("CYLWRAP", "a clause of today's TGSI (cylindrical wrap left it)"),
];

/// Returns the words to expect in place of `found`, which starts a removed word.
pub(super) fn expected_for(found: &str) -> Option<&'static str> {
    if found.len() > 6 && found.get(found.len() - 6..)?.eq_ignore_ascii_case("_SATNV") {
        return Some("an opcode of today's TGSI (_SATNV left it: use MIN and MAX)");
    }
    let is = |name: &str| {
        let whole = found.eq_ignore_ascii_case(name);
        // CYLWRAP_XY also names the components.
        whole
            || name == "CYLWRAP"
                && found.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name))
    };
    GONE.iter().find(|(name, _)| is(name)).map(|(_, expected)| *expected)
}
