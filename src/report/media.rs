//! Where the browser finds an interview's media, told from its page.

use std::path::{Component, Path, PathBuf};

use super::ReportRequest;

/// The address of the media file relative to the page, percent-encoded; `None` where the file is not there, or no
/// relative way leads to it. No page says where a corpus lies on a machine.
pub fn url(name: Option<&str>, page: &Path, request: &ReportRequest<'_>) -> Option<String> {
    let name = name?;
    // A base that names folders of its own, and files laid into one folder.
    let last = name.rsplit('/').next()?;
    let base = request.media.unwrap_or(request.to);
    let file = [base.join(name), base.join(last)].into_iter().find(|f| f.is_file())?;
    let file = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
    let folder = page.parent()?;
    // The page's folder may not be there yet: its nearest part that is tells where it lies.
    let there = folder.ancestors().find(|f| f.is_dir() || f.as_os_str().is_empty())?;
    let whole = if there.as_os_str().is_empty() { Path::new(".") } else { there }.canonicalize().ok()?;
    relative(&file, &whole.join(folder.strip_prefix(there).ok()?))
}

fn relative(file: &Path, folder: &Path) -> Option<String> {
    let parts = |path: &Path| -> Option<Vec<String>> {
        path.components()
            .map(|c| match c {
                Component::RootDir => Some(String::new()),
                Component::Normal(name) => name.to_str().map(str::to_owned),
                _ => None,
            })
            .collect()
    };
    let (file, folder) = (parts(&PathBuf::from(file))?, parts(folder)?);
    let shared = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), folder.len() - shared);
    let down = file[shared..].iter().map(|part| encoded(part));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// Percent-encodes all but what RFC 3986 leaves alone.
fn encoded(part: &str) -> String {
    let kept = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    part.bytes().map(|b| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_media_is_relative_and_encoded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("media/a b")).unwrap();
        std::fs::write(root.join("media/a b/é#1.mp4"), "x").unwrap();
        let to = root.join("out/report");
        let media = root.join("media");
        let request = ReportRequest { out: root, to: &to, media: Some(&media) };
        let url = |name| url(Some(name), &to.join("interviews/x/y.html"), &request);
        assert_eq!(url("a b/é#1.mp4").unwrap(), "../../../../media/a%20b/%C3%A9%231.mp4");
        assert_eq!(url("none.mp4"), None);
        let beside = ReportRequest { media: None, ..request };
        assert_eq!(super::url(Some("a b/é#1.mp4"), &to.join("interviews/x.html"), &beside), None);
    }
}
