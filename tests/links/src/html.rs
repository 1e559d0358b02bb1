//! HTML pages of rustdoc, whose attributes are in double quotes and whose text has no `<`.

use super::Page;

pub fn page(text: &str) -> Page {
    let mut page = Page::default();
    for tag in text.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        // Rustdoc names scripts of traits that nothing implements, which are missing.
        if tag.starts_with("script ") {
            continue;
        }
        let links = ["href", "src"].iter().filter_map(|name| attribute(tag, name));
        let links = links.filter(|link| !is_source(link));
        page.links.extend(links.map(|link| decoded(&link.replace("&amp;", "&"))));
        page.anchors.extend(attribute(tag, "id").map(decoded));
    }
    page
}

/// Returns `true` for lines of sources, which rustdoc numbers by a script.
fn is_source(link: &str) -> bool {
    link.contains(".rs.html#")
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn decoded(url: &str) -> String {
    let mut parts = url.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend(part.as_bytes().iter().skip(if byte.is_some() { 2 } else { 0 }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_found() {
        let page =
            page(r#"<a class="x" href="a%20b.html#c">d</a><img src="e.svg"><h2 id="f">g</h2>"#);
        assert_eq!(page.links, ["a b.html#c", "e.svg"]);
        assert!(page.anchors.iter().eq(["f"]));
    }
}
