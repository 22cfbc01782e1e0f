//! Writes an HTML page: ratios with their spread, the sweep as a heat map, pictures next to each
//! other. The page needs no other file and no network.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::*;
use serde::Deserialize;

use super::ratio::{Ratio, mean};
use super::{glmark2, results, scenes};
use crate::picture::Picture;
use crate::{bench, shell};

/// The first lines of the page: text in the system's fonts, tables of pictures.
const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>OpenGL drivers compared</title><style>
body { font-family: sans-serif; margin: 2em auto; max-width: 1100px }
td, th { padding: 2px 8px; text-align: right } th:first-child, td:first-child { text-align: left }
img { width: 320px; image-rendering: pixelated } .heat td { font-size: 12px }
</style></head><body>
<h1>OpenGL drivers compared</h1>
<p>Times of gallium-vtest over times of other drivers, measured in turns on one machine. Less than 1
is faster. A line from the least to the most of the turns goes through each point, their middle.</p>
";

/// A point of a chart: its label, and a ratio for each series that has one.
struct Row {
    label: String,
    ratios: Vec<Option<Ratio>>,
}

/// Writes `report.html` about the results in `folder`.
///
/// # Errors
/// There are no results, or they cannot be read; the error names the command that makes them.
pub(super) fn write(folder: &Path) -> Result<()> {
    let scenes: Option<Vec<scenes::SceneResult>> = results::read(&folder.join(scenes::RESULTS))?;
    let glmark2: Option<Vec<glmark2::BenchmarkResult>> =
        results::read(&folder.join(glmark2::RESULTS))?;
    let sweep: Option<Vec<Variation>> = results::read(&bench::sweep_results())?;
    ensure!(
        scenes.is_some() || glmark2.is_some() || sweep.is_some(),
        "no results; run `cargo xtask gl-bench`, with --glmark2 too, or `cargo xtask bench --sweep`"
    );
    let mut page = String::from(HEAD);
    if let Some(scenes) = &scenes {
        let names = scenes.iter().flat_map(|result| result.frames.keys());
        let pairs = pairs(names.map(String::as_str));
        let row = |result: &scenes::SceneResult| Row {
            label: result.scene.clone(),
            ratios: pairs.iter().map(|(ours, theirs)| result.ratio(ours, theirs)).collect(),
        };
        let rows: Vec<Row> = scenes.iter().map(row).collect();
        section(&mut page, "Scenes of gl-bench", &pairs, &rows)?;
    }
    if let Some(benchmarks) = &glmark2 {
        let names = benchmarks.iter().flat_map(|result| result.rates.keys());
        let pairs = pairs(names.map(String::as_str));
        let row = |result: &glmark2::BenchmarkResult| Row {
            label: result.benchmark.chars().take(44).collect(),
            ratios: pairs.iter().map(|(ours, theirs)| result.ratio(ours, theirs)).collect(),
        };
        let rows: Vec<Row> = benchmarks.iter().map(row).collect();
        section(&mut page, "Benchmarks of glmark2", &pairs, &rows)?;
    }
    if let Some(sweep) = &sweep {
        page += &heat_map(sweep);
    }
    for result in scenes.iter().flatten() {
        page += &pictures(result, folder)?;
    }
    page += "</body></html>\n";
    let path = folder.join("report.html");
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// Returns the pairs of drivers to compare, ours and the other, for the drivers with results.
fn pairs<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(String, String)> {
    let mut threads: Vec<u32> =
        names.filter_map(|name| name.strip_prefix("gallium-")?.parse().ok()).collect();
    threads.sort_unstable();
    threads.dedup();
    scenes::comparisons(&threads)
}

/// Appends a chart and the means of its series.
fn section(page: &mut String, title: &str, pairs: &[(String, String)], rows: &[Row]) -> Result<()> {
    let mut names = Vec::new();
    for (index, (ours, theirs)) in pairs.iter().enumerate() {
        let ratios = rows.iter().filter_map(|row| row.ratios.get(index).copied().flatten());
        let mean = mean(ratios).map_or_else(|| "no results".into(), |mean| format!("{mean:.2}"));
        names.push(format!("{ours} over {theirs}: mean {mean}"));
    }
    *page += &format!("<h2>{title}</h2>\n");
    *page += &chart(&names, rows).map_err(|error| anyhow!("no chart of {title}: {error}"))?;
    Ok(())
}

/// Draws the ratios of all rows on a logarithmic axis, with one colour per series.
fn chart(names: &[String], rows: &[Row]) -> Result<String, Box<dyn std::error::Error>> {
    /// Height in pixels of a row, and of title, axis and legend together.
    const HEIGHT: (usize, usize) = (26, 60);
    let mut svg = String::new();
    {
        let size = (1080, (HEIGHT.0 * rows.len() + HEIGHT.1 + 22 * names.len()) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let (legend, plot) = area.split_vertically(22 * names.len() as u32);
        let count = rows.len() as f64;
        let mut chart = ChartBuilder::on(&plot)
            .x_label_area_size(30)
            .y_label_area_size(320)
            .margin_right(20)
            .build_cartesian_2d((0.02f64..20.0).log_scale(), -0.5..count - 0.5)?;
        let label = |place: &f64| {
            let row = (count - 1.0 - place).round();
            rows.get(row as usize).map_or_else(String::new, |row| row.label.clone())
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(rows.len() + 1)
            .y_label_formatter(&label)
            .x_desc("times their time; 1 is as fast")
            .draw()?;
        let one = [(1.0, -0.5), (1.0, count - 0.5)];
        chart.draw_series([PathElement::new(one, BLACK.stroke_width(2))])?;
        for (series, name) in names.iter().enumerate() {
            let color = Palette99::pick(series).to_rgba();
            // The series of a row are drawn below each other, around the row's label.
            let shift = (series as f64 + 0.5) / names.len() as f64 - 0.5;
            for (index, row) in rows.iter().enumerate() {
                let Some(ratio) = row.ratios.get(series).copied().flatten() else { continue };
                let y = count - 1.0 - index as f64 - 0.8 * shift;
                let line = [(ratio.least, y), (ratio.most, y)];
                chart.draw_series([PathElement::new(line, color.stroke_width(2))])?;
                chart.draw_series([Circle::new((ratio.median, y), 4, color.filled())])?;
            }
            let y = 22 * series as i32 + 4;
            legend.draw(&Rectangle::new([(320, y), (334, y + 12)], color.filled()))?;
            legend.draw(&Text::new(name.clone(), (342, y), ("sans-serif", 15)))?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// A line of the sweep's results.
#[derive(Deserialize)]
struct Variation {
    group: String,
    name: String,
    ratio: f64,
    limit: f64,
}

/// Returns a table of the sweep with one cell per variation: the nearer to the limit, the redder.
fn heat_map(sweep: &[Variation]) -> String {
    let mut html = String::from(
        "<h2>Sweep</h2>\n<p>Time a pixel or vertex over the group's baseline, one value of one \
         member of state at a time. White is the baseline's time, red the limit.</p>\n\
         <table class=\"heat\">\n",
    );
    let mut group = None;
    for (index, variation) in sweep.iter().enumerate() {
        if group != Some(&variation.group) {
            html += &format!("</tr><tr><th colspan=\"8\">{}</th></tr><tr>\n", variation.group);
            group = Some(&variation.group);
        } else if index % 8 == 0 {
            html += "</tr><tr>";
        }
        let heat = ((variation.ratio - 1.0) / (variation.limit - 1.0).max(0.1)).clamp(0.0, 1.0);
        let rest = (255.0 * (1.0 - heat)) as u8;
        html += &format!(
            "<td style=\"background: rgb(255,{rest},{rest})\">{} <b>{:.1}</b></td>\n",
            variation.name, variation.ratio
        );
    }
    html + "</tr></table>\n"
}

/// Returns the first frame of a scene on llvmpipe and on our driver, and their difference.
fn pictures(result: &scenes::SceneResult, folder: &Path) -> Result<String> {
    let of = |name: &str| {
        let driver = result.frames.keys().find(|key| key.starts_with(name))?;
        let path = folder.join(format!("{}-{driver}.png", result.scene));
        path.exists().then_some(path)
    };
    let (Some(theirs), Some(ours)) = (of("llvmpipe"), of("gallium")) else {
        return Ok(String::new());
    };
    let mut html = format!(
        "<h3>{}</h3>\n<p>llvmpipe, ours, and their distance times eight: {:.3} % of the pixels differ \
         by more than one step.</p>\n",
        result.scene, result.differing
    );
    let difference = Picture::read(&ours)?.compare(&Picture::read(&theirs)?, 1)?;
    let distance = shell::target_dir().join("gl-bench/difference.png");
    for path in [&theirs, &ours] {
        html += &image(path)?;
    }
    if let Some(difference) = difference {
        difference.picture.write(&distance)?;
        html += &image(&distance)?;
    }
    Ok(html)
}

/// Returns an `img` element that contains the file.
fn image(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(format!("<img alt=\"\" src=\"data:image/png;base64,{}\">\n", STANDARD.encode(bytes)))
}
