//! Reads Wavefront OBJ: polygons with smoothing groups, and bicubic Bézier patches.
//!
//! We do not use `tobj`, because its errors do not name the line.

use std::fmt;
use std::str::FromStr;

use crate::polygon;
use crate::soup::{Corner, DEFAULT_GROUP, Soup};

/// An error in an OBJ file.
#[derive(Debug, PartialEq)]
pub struct ObjError {
    /// The line number, from 1.
    pub line: usize,
    /// The text found, and the text expected.
    pub what: String,
}

impl fmt::Display for ObjError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ObjError {}

/// Statements without information about the surface of a polygon mesh.
const IGNORED: &[&str] = &[
    "o",
    "g",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "l",
    "p",
    "vp",
    "lod",
    "bevel",
    "c_interp",
    "d_interp",
    "shadow_obj",
    "trace_obj",
];

/// Reads positions, texture coordinates, normals, faces, smoothing groups and patches.
///
/// Convex polygons become triangle fans, and concave ones are cut by their ears.
pub fn parse(text: &str) -> Result<Soup, ObjError> {
    let mut soup = Soup::default();
    let mut state = State { group: DEFAULT_GROUP, colored: Vec::new() };
    let mut lines = text.lines().enumerate();
    while let Some((index, first)) = lines.next() {
        let mut statement = String::from(first);
        // A backslash at the end of a line continues the statement on the next line.
        while statement.trim_end().ends_with('\\') {
            statement.truncate(statement.trim_end().len() - 1);
            match lines.next() {
                Some((_, more)) => statement.push_str(more),
                None => break,
            }
        }
        let text = statement.split('#').next().unwrap_or("");
        parse_statement(text, &mut soup, &mut state)
            .map_err(|what| ObjError { line: index + 1, what })?;
    }
    if soup.triangles.is_empty() && soup.patches.is_empty() {
        let line = text.lines().count().max(1);
        return Err(ObjError { line, what: "end of file without a face (`f`)".into() });
    }
    Ok(soup)
}

/// The statements that hold for the faces after them.
struct State {
    /// The smoothing group of the next faces.
    group: u32,
    /// The colour of each position, if it has one.
    colored: Vec<Option<u32>>,
}

fn parse_statement(text: &str, soup: &mut Soup, state: &mut State) -> Result<(), String> {
    let mut words = text.split_whitespace();
    let Some(keyword) = words.next() else { return Ok(()) };
    let words: Vec<&str> = words.collect();
    match keyword {
        // A fourth number is w, which is ignored. The fourth to sixth of six numbers are a colour.
        "v" => {
            let [x, y, z, r, g, b] = floats(keyword, &words, 3, 3..=7)?;
            soup.positions.push([x, y, z]);
            let mut color = None;
            if words.len() == 6 {
                color = Some(soup.colors.len() as u32);
                soup.colors.push([r, g, b, 1.0]);
            }
            state.colored.push(color);
        }
        "vn" => soup.normals.push(floats(keyword, &words, 3, 3..=3)?),
        "vt" => soup.uvs.push(floats(keyword, &words, 1, 1..=3)?),
        "f" => parse_face(&words, soup, state)?,
        "s" => state.group = parse_group(&words)?,
        "cstype" if words == ["bezier"] => {}
        "deg" if words == ["3", "3"] => {}
        "surf" => parse_surface(&words, soup, state)?,
        // Parameters are from 0 to 1 in both directions.
        "parm" | "end" => {}
        _ if IGNORED.contains(&keyword) => {}
        _ => return Err(format!("unknown statement `{keyword}`, expected v, vt, vn, f or s")),
    }
    Ok(())
}

/// Returns the first `N` numbers of a statement. Numbers after the first `needed` may be missing
/// and are then 0.
fn floats<const N: usize>(
    keyword: &str,
    words: &[&str],
    needed: usize,
    count: std::ops::RangeInclusive<usize>,
) -> Result<[f32; N], String> {
    if !count.contains(&words.len()) {
        let (least, most) = (count.start().max(&needed), count.end());
        let expected =
            if least == most { format!("{least}") } else { format!("{least} to {most}") };
        return Err(format!("`{keyword}` with {} numbers, expected {expected}", words.len()));
    }
    let mut out = [0.0; N];
    for (index, word) in words.iter().enumerate() {
        let value = f32::from_str(word)
            .ok()
            .filter(|value| value.is_finite())
            .ok_or_else(|| format!("`{word}` in `{keyword}`, expected a finite number"))?;
        if let Some(slot) = out.get_mut(index) {
            *slot = value;
        }
    }
    Ok(out)
}

/// Reads a smoothing group: a number, or `off`.
fn parse_group(words: &[&str]) -> Result<u32, String> {
    match words {
        ["off"] => Ok(0),
        [word] => word.parse().map_err(|_| format!("`{word}` in `s`, expected a number or `off`")),
        _ => Err(format!("`s` with {} words, expected a number or `off`", words.len())),
    }
}

fn parse_face(words: &[&str], soup: &mut Soup, state: &State) -> Result<(), String> {
    if words.len() < 3 {
        return Err(format!("`f` with {} vertices, expected at least 3", words.len()));
    }
    let corners =
        words.iter().map(|word| parse_corner(word, soup, state)).collect::<Result<Vec<_>, _>>()?;
    let positions: Vec<[f32; 3]> =
        corners.iter().map(|corner| soup.positions[corner.position as usize]).collect();
    for triangle in polygon::triangles(&positions) {
        soup.push(triangle.map(|index| corners[index]), state.group);
    }
    Ok(())
}

/// Reads a patch: four parameters, then the control points, row by row.
fn parse_surface(words: &[&str], soup: &mut Soup, state: &State) -> Result<(), String> {
    let points = words.get(4..).unwrap_or(&[]);
    if points.len() != 16 {
        let count = words.len();
        return Err(format!("`surf` with {count} numbers, expected 4 parameters and 16 vertices"));
    }
    let mut patch = [0; 16];
    for (index, word) in patch.iter_mut().zip(points) {
        *index = parse_corner(word, soup, state)?.position;
    }
    soup.patches.push(patch);
    Ok(())
}

/// Reads a corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn parse_corner(word: &str, soup: &Soup, state: &State) -> Result<Corner, String> {
    let parts: Vec<&str> = word.split('/').collect();
    if parts.len() > 3 {
        return Err(format!("`{word}` in `f`, expected v, v/vt, v//vn or v/vt/vn"));
    }
    let part = |index: usize| parts.get(index).copied().filter(|part| !part.is_empty());
    let position = part(0).ok_or_else(|| format!("`{word}` in `f`, expected a vertex number"))?;
    let position = resolve(position, soup.positions.len(), "v")?;
    Ok(Corner {
        position,
        color: state.colored.get(position as usize).copied().flatten(),
        uv: part(1).map(|part| resolve(part, soup.uvs.len(), "vt")).transpose()?,
        normal: part(2).map(|part| resolve(part, soup.normals.len(), "vn")).transpose()?,
    })
}

/// Converts an OBJ index (from 1, or negative: from the last one back) to an index from 0.
fn resolve(word: &str, count: usize, keyword: &str) -> Result<u32, String> {
    let number = i64::from_str(word)
        .map_err(|_| format!("`{word}` in `f`, expected the number of a `{keyword}`"))?;
    let index = if number < 0 { count as i64 + number } else { number - 1 };
    if number == 0 || index < 0 || index >= count as i64 {
        return Err(format!(
            "`f` refers to `{keyword}` {number}, but {count} of them stand above this line"
        ));
    }
    Ok(index as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).expect_err("must be refused").to_string()
    }

    #[test]
    fn a_quad_is_two_triangles() {
        let soup = parse(
            "# a quad\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
             f 1/1/1 2//1 \\\n 3/1 -1\n",
        )
        .unwrap();
        assert_eq!(soup.positions.len(), 4);
        let positions: Vec<[u32; 3]> =
            soup.triangles.iter().map(|t| t.map(|corner| corner.position)).collect();
        assert_eq!(positions, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(soup.triangles[0][0].uv, Some(0));
        assert_eq!(soup.triangles[0][1].uv, None);
        assert_eq!(soup.triangles[0][1].normal, Some(0));
    }

    #[test]
    fn a_surface_is_sixteen_vertices() {
        let points: String = (0..16).map(|i| format!("v {i} 0 0\n")).collect();
        let order: String = (1..=16).rev().map(|i| format!(" {i}")).collect();
        let head = "cstype bezier\ndeg 3 3\n";
        let text = format!("{points}{head}surf 0 1 0 1{order}\nparm u 0 1\nparm v 0 1\nend\n");
        let soup = parse(&text).unwrap();
        assert_eq!(soup.patches.len(), 1);
        assert_eq!(soup.patches[0][..3], [15, 14, 13]);
        assert!(error(&format!("{points}surf 0 1 0 1 1 2 3\n")).contains("16 vertices"));
        assert!(error("cstype bspline\n").contains("unknown statement `cstype`"));
    }

    #[test]
    fn six_numbers_are_a_position_and_its_colour() {
        let soup = parse("v 0 0 0 1 0 0.5\nv 1 0 0 0 0 1\nv 1 1 0 1 1 1\nf 1 2 3\n").unwrap();
        assert_eq!(soup.index().vertices[0].color, [1.0, 0.0, 0.5, 1.0]);
        let some = parse("v 0 0 0\nv 1 0 0 0 0 1\nv 1 1 0\nf 1 2 3\n").unwrap();
        let colors: Vec<_> = some.triangles[0].iter().map(|corner| corner.color).collect();
        assert_eq!(colors, [None, Some(0), None]);
    }

    #[test]
    fn smoothing_groups_hold_for_the_faces_after_them() {
        let soup = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ns off\nf 1 2 3\ns 4\nf 1 2 3\n");
        assert_eq!(soup.unwrap().groups, [DEFAULT_GROUP, 0, 4]);
        assert_eq!(error("s on\n"), "line 1: `on` in `s`, expected a number or `off`");
    }

    #[test]
    fn a_concave_face_is_cut_at_its_ears() {
        // An arrow head: the fan from its left corner would cover the notch.
        let soup = parse("v 0 2 0\nv -2 -2 0\nv 0 0 0\nv 2 -2 0\nf 2 3 4 1\n");
        let soup = soup.unwrap();
        let area: f32 = soup
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| soup.positions[corner.position as usize]);
                ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2.0
            })
            .inspect(|area| assert!(*area > 0.0, "a triangle is turned over"))
            .sum();
        // The triangle of 4×4 without the notch of 4×2.
        assert_eq!(area, 8.0 - 4.0);
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        assert_eq!(
            error("v 0 0 0\nv 1 zwei 0\n"),
            "line 2: `zwei` in `v`, expected a finite number"
        );
        assert_eq!(error("v nan 0 0\n"), "line 1: `nan` in `v`, expected a finite number");
        assert_eq!(error("v 1 2\n"), "line 1: `v` with 2 numbers, expected 3 to 7");
        assert_eq!(error("vn 1 2\n"), "line 1: `vn` with 2 numbers, expected 3");
        assert_eq!(error("v 0 0 0\nf 1 1\n"), "line 2: `f` with 2 vertices, expected at least 3");
        assert_eq!(
            error("v 0 0 0\nf 1 1 2\n"),
            "line 2: `f` refers to `v` 2, but 1 of them stand above this line"
        );
        assert_eq!(
            error("v 0 0 0\nf 1 0 1\n"),
            "line 2: `f` refers to `v` 0, but 1 of them stand above this line"
        );
        assert_eq!(
            error("v 0 0 0\nf 1 1 -2\n"),
            "line 2: `f` refers to `v` -2, but 1 of them stand above this line"
        );
        assert_eq!(
            error("v 0 0 0\nf 1 1 1/2/3/4\n"),
            "line 2: `1/2/3/4` in `f`, expected v, v/vt, v//vn or v/vt/vn"
        );
        assert_eq!(error("v 0 0 0\nf 1 1 x\n"), "line 2: `x` in `f`, expected the number of a `v`");
        assert_eq!(
            error("\u{0}PNG\n"),
            "line 1: unknown statement `\u{0}PNG`, expected v, vt, vn, f or s"
        );
        assert_eq!(error("v 0 0 0\n"), "line 1: end of file without a face (`f`)");
        assert_eq!(error(""), "line 1: end of file without a face (`f`)");
    }
}
