//! Names of the pictures.

use redist_schedules::Method;

/// A picture, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureKind {
    /// The layouts of both sides.
    Ownership,
    /// The elements that two ranks share.
    Intersection,
    /// The elements that every rank sends to every other.
    Volumes,
    /// The messages in their steps.
    Schedule,
    /// All of them on one page.
    #[default]
    All,
}

impl PictureKind {
    /// All kinds, with their words and contents.
    pub const NAMED: [(&str, Self, &str); 5] = [
        ("ownership", Self::Ownership, "The layouts of both sides"),
        ("intersection", Self::Intersection, "What two ranks have in common"),
        ("volumes", Self::Volumes, "The elements that every rank sends to every other"),
        ("schedule", Self::Schedule, "The messages in their steps"),
        ("all", Self::All, "All of them on one page"),
    ];

    /// Returns the kind of this word, such as `volumes`.
    pub fn named(word: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(name, ..)| *name == word).map(|(_, kind, _)| *kind)
    }

    /// Its word, such as `volumes`.
    pub fn name(self) -> &'static str {
        Self::NAMED[self.place()].0
    }

    /// Its contents, in words.
    pub fn shows(self) -> &'static str {
        Self::NAMED[self.place()].2
    }

    fn place(self) -> usize {
        Self::NAMED.iter().position(|(_, kind, _)| *kind == self).unwrap_or(Self::NAMED.len() - 1)
    }
}

/// The words for methods that have steps.
pub const METHODS: [(&str, Method); 4] = [
    ("circulant", Method::Circulant),
    ("closed-form", Method::ClosedForm),
    ("koenig", Method::Koenig),
    ("caterpillar", Method::Caterpillar),
];
