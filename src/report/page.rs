//! From numbers to a page: one file that needs no other, in which no text of a table can become markup or code.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::report::corpus::Told;
use crate::report::interview::Interview;

const INTERVIEW: &str = include_str!("assets/interview.html");
const INDEX: &str = include_str!("assets/index.html");
const STYLE: &str = include_str!("assets/report.css");
const COMMON: &str = include_str!("assets/common.js");
const LANES: &str = include_str!("assets/lanes.js");
const CHARTS: &str = include_str!("assets/charts.js");
const TABLES: &str = include_str!("assets/tables.js");
const INTERVIEW_SCRIPT: &str = include_str!("assets/interview.js");
const INDEX_SCRIPT: &str = include_str!("assets/index.js");

/// uPlot 1.6.32 (MIT) as its npm package `uplot` has it, dist/uPlot.iife.min.js, sha256
/// 19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f. It draws hundreds of thousands of points and keeps
/// the axes of many charts together in 50 kB; ECharts takes a megabyte a page, and Observable Plot draws SVG elements,
/// too many for an hour.
const PLOT: &str = include_str!("vendor/uPlot.iife.min.js");
/// dist/uPlot.min.css of the same package, sha256 df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04.
const PLOT_STYLE: &str = include_str!("vendor/uPlot.min.css");

/// The page of an interview.
///
/// # Errors
/// [`Error::Usage`] never in practice: for numbers that have no JSON form.
pub fn interview(data: &Interview) -> Result<String> {
    let title = format!("{} · Turnwise", data.id);
    let style = format!("{PLOT_STYLE}\n{STYLE}");
    let script = [PLOT, COMMON, LANES, CHARTS, TABLES, INTERVIEW_SCRIPT].join("\n");
    whole(INTERVIEW, &title, &style, &script, &json(data)?)
}

/// The index.
///
/// # Errors
/// As [`interview`].
pub fn index(interviews: &[Told]) -> Result<String> {
    let script = [COMMON, INDEX_SCRIPT].join("\n");
    whole(INDEX, "Interviews · Turnwise", STYLE, &script, &json(&interviews)?)
}

/// JSON that ends no script element and no line of one, wherever it stands in a page.
fn json(data: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(data).map_err(|e| Error::Usage {
        what: format!("a page's numbers have no JSON form: {e}"),
        hint: "this is a fault of Turnwise; please tell its makers".into(),
    })?;
    let mut safe = String::with_capacity(text.len() + text.len() / 50);
    for c in text.chars() {
        match c {
            // They stand inside strings only, where JSON may write any character so.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => safe.push(c),
        }
    }
    Ok(safe)
}

/// Fills a template's places, once: what is put in is not looked at again.
fn whole(template: &str, title: &str, style: &str, script: &str, data: &str) -> Result<String> {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; media-src 'self' file: blob:; \
         base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    );
    let mut page = String::with_capacity(template.len() + style.len() + script.len() + data.len());
    for (i, part) in template.split("{{").enumerate() {
        let (place, rest) = if i == 0 { ("", part) } else { part.split_once("}}").unwrap_or(("", part)) };
        page.push_str(&match place {
            "title" => escaped(title),
            "policy" => policy.clone(),
            "style" => style.to_owned(),
            "script" => script.to_owned(),
            "data" => data.to_owned(),
            _ => String::new(),
        });
        page.push_str(rest);
    }
    Ok(page)
}

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_end_its_element() {
        let text = json(&"</script><!-- & \u{2028}").unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), "</script><!-- & \u{2028}");
    }

    #[test]
    fn what_is_put_into_a_page_is_not_filled_again() {
        let page = whole("<title>{{title}}</title>{{data}}{{script}}", "a {{script}} <b>", "", "run()", "{{title}}");
        assert_eq!(page.unwrap(), "<title>a {{script}} &lt;b&gt;</title>{{title}}run()");
    }

    #[test]
    fn what_is_bundled_is_what_its_comment_says() {
        let hash = |text: &str| Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect::<String>();
        let source = include_str!("page.rs");
        for text in [PLOT, PLOT_STYLE] {
            assert!(source.contains(&hash(text)), "{}", hash(text));
        }
    }

    #[test]
    fn scripts_set_text_and_never_markup() {
        for script in [COMMON, LANES, CHARTS, TABLES, INTERVIEW_SCRIPT, INDEX_SCRIPT] {
            for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
                assert!(!script.contains(way), "{way}");
            }
            assert!(!script.contains("</script") && !script.contains("http://") && !script.contains("https://"));
        }
        assert!(!PLOT.contains("</script"));
    }
}
