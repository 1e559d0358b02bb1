use redist_plan::plan::schedule::Method;

/// The pictures.
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
    /// All there are: their words, themselves, and what they show.
    pub const NAMED: [(&str, Self, &str); 5] = [
        ("ownership", Self::Ownership, "The layouts of both sides"),
        ("intersection", Self::Intersection, "What two ranks have in common"),
        ("volumes", Self::Volumes, "The elements that every rank sends to every other"),
        ("schedule", Self::Schedule, "The messages in their steps"),
        ("all", Self::All, "All of them on one page"),
    ];

    /// The one of this word.
    ///
    /// ```
    /// use redist_draw::PictureKind;
    /// assert_eq!(PictureKind::named("volumes"), Some(PictureKind::Volumes));
    /// assert_eq!(PictureKind::named("volume"), None);
    /// ```
    pub fn named(word: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(name, ..)| *name == word).map(|(_, kind, _)| *kind)
    }
}

/// The words for methods that have steps.
pub const METHODS: [(&str, Method); 4] = [
    ("circulant", Method::Circulant),
    ("closed-form", Method::ClosedForm),
    ("koenig", Method::Koenig),
    ("caterpillar", Method::Caterpillar),
];
