use gallium_tgsi::{sanity, scan, text, token};
use os_shim::Memory;
fn main() {
    for path in std::env::args().skip(1) {
        let all = std::fs::read_to_string(&path).unwrap();
        let (mut ok, mut bad, mut tok, mut sane, mut shown) = (0, 0, 0, 0, 0);
        let mut warns = std::collections::BTreeMap::<String, u32>::new();
        for text in all.split_inclusive("=====\n") {
            let Some(text) = text.strip_suffix("=====\n") else { continue };
            match text::parse(text, Memory::system()) {
                Ok(shader) if shader.to_string() == text => {
                    ok += 1;
                    let t = token::encode(&shader, Memory::system()).unwrap();
                    let back = token::decode(&t, Memory::system()).unwrap();
                    if back == shader && back.to_string() == text { tok += 1 }
                    let s = sanity::check(&shader, &mut |f| {
                        if f.severity() == sanity::Severity::Error && shown < 10 { shown += 1; println!("{f}") }
                        if !matches!(f.rule, sanity::Rule::Unused{..}) {
                        *warns.entry(format!("{}", f.rule)).or_default() += 1; }
                    }).unwrap();
                    if s.passed() { sane += 1 } else if shown < 3 { println!("{text}") }
                    scan::ShaderInfo::new(&shader).unwrap();
                }
                Ok(shader) => {
                    bad += 1;
                    if bad < 5 {
                        let out = shader.to_string();
                        for (a, b) in text.lines().zip(out.lines()) { if a != b { println!("< {a}\n> {b}"); break } }
                    }
                }
                Err(e) => { bad += 1; if bad < 5 { println!("{e}\n{text}") } }
            }
        }
        println!("{path}: {ok} ok, {bad} bad, {tok} tokens, {sane} sane {warns:?}");
    }
}
