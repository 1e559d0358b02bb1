//! Reads headings and anchors of pages.

use super::Page;
use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::cell::RefCell;

pub fn page(text: &str) -> Page {
    let undefined = RefCell::new(Vec::new());
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    // A link with a label of its own; single brackets may be text.
    let callback = |link: BrokenLink| {
        if link.link_type == LinkType::Reference {
            undefined.borrow_mut().push(format!("`[{}]` is not defined", link.reference));
        }
        None
    };
    let parser =
        Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(callback));
    for event in parser {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let name = anchor(&heading.take().unwrap());
                let number = (1..).map(|number| format!("{name}-{number}"));
                let mut names = std::iter::once(name.clone()).chain(number);
                let free = names.find(|name| !page.anchors.contains(name)).unwrap();
                page.anchors.insert(free);
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                if dest_url.contains("::") {
                    page.mistakes.push(format!("`{dest_url}` is for rustdoc alone"));
                } else {
                    page.links.push(dest_url.into_string());
                }
            }
            _ => {}
        }
    }
    page.mistakes.extend(undefined.into_inner());
    page
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_anchors_and_mistakes_are_found() {
        let text =
            "# A `b`, c\n\n# A b c\n\n[x](y.md#z) ![i](j.svg) [k][l] [m][n] [0]\n\n[l]: o.md\n";
        let page = page(text);
        assert_eq!(page.links, ["y.md#z", "j.svg", "o.md"]);
        assert!(page.anchors.iter().eq(["a-b-c", "a-b-c-1"]));
        assert_eq!(page.mistakes, ["`[n]` is not defined"]);
    }

    #[test]
    fn what_rustdoc_alone_resolves_is_a_mistake() {
        assert_eq!(page("[x](crate::Plan)").mistakes, ["`crate::Plan` is for rustdoc alone"]);
    }
}
