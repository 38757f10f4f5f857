//! The ratios as a picture: bars from one task to the next, and a line where both take as long.

use anyhow::{Result, anyhow};
use plotters::prelude::{
    BLACK, ChartBuilder, Color, IntoDrawingArea, IntoFont, IntoLogRange, PathElement, RGBColor, Rectangle,
    SVGBackend, Text, WHITE,
};

use crate::row::Row;

const ROW: u32 = 24;
const FASTER: RGBColor = RGBColor(46, 125, 80);
const SLOWER: RGBColor = RGBColor(176, 112, 32);

/// Draws every row; on a logarithmic scale, because ratios are.
pub(crate) fn draw(rows: &[Row]) -> Result<String> {
    let mut picture = String::new();
    let count = u32::try_from(rows.len())?;
    {
        let area = SVGBackend::with_string(&mut picture, (960, 70 + ROW * count.max(1))).into_drawing_area();
        area.fill(&WHITE).map_err(unwritten)?;
        let least = rows.iter().map(Row::ratio).fold(0.1, f64::min) / 1.5;
        let most = rows.iter().map(Row::ratio).fold(4.0, f64::max) * 1.5;
        let mut chart = ChartBuilder::on(&area)
            .caption("time of the read tool over the other's", ("sans-serif", 16).into_font())
            .margin(8)
            .margin_left(430)
            .x_label_area_size(24)
            .build_cartesian_2d((least..most).log_scale(), 0.0..f64::from(count.max(1)))
            .map_err(unwritten)?;
        chart.configure_mesh().disable_y_mesh().y_labels(0).draw().map_err(unwritten)?;
        for (index, row) in rows.iter().enumerate() {
            let bottom = f64::from(count) - f64::from(u32::try_from(index)?) - 0.85;
            let color = if row.ratio() <= 1.0 { FASTER } else { SLOWER };
            let bar = Rectangle::new([(least, bottom), (row.ratio(), bottom + 0.7)], color.filled());
            chart.draw_series([bar]).map_err(unwritten)?;
            if let Some(bar) = row.bar {
                let mark =
                    PathElement::new([(bar, bottom - 0.1), (bar, bottom + 0.8)], BLACK.stroke_width(2));
                chart.draw_series([mark]).map_err(unwritten)?;
            }
            let (_, y) = chart.backend_coord(&(least, bottom + 0.55));
            let title = format!("{} / {}", row.task, row.beside);
            area.draw(&Text::new(title, (8, y), ("sans-serif", 12).into_font())).map_err(unwritten)?;
        }
        let even = PathElement::new([(1.0, 0.0), (1.0, f64::from(count))], BLACK.mix(0.4).stroke_width(1));
        chart.draw_series([even]).map_err(unwritten)?;
        area.present().map_err(unwritten)?;
    }
    Ok(picture)
}

fn unwritten(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("the chart cannot be drawn: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::sample;

    #[test]
    fn every_task_is_in_the_picture() {
        let picture =
            draw(&[sample("fast one", 1, 20, Some(0.5)), sample("slow one", 30, 20, None)]).unwrap();
        assert!(picture.starts_with("<svg"), "{picture}");
        assert!(picture.contains("fast one") && picture.contains("slow one"));
        assert!(draw(&[]).is_ok());
    }
}
