//! Text that constants can make, for compile errors with numbers.

/// Text that rustc's const evaluator can put together.
#[derive(Clone, Copy, Debug)]
pub struct ConstText {
    /// The text in UTF-8; what does not fit is left out.
    bytes: [u8; 384],
    /// Bytes in use.
    len: usize,
}

impl ConstText {
    #[doc(hidden)]
    pub const fn new(text: &str) -> Self {
        ConstText { bytes: [0; 384], len: 0 }.text(text)
    }

    #[doc(hidden)]
    pub const fn text(self, text: &str) -> Self {
        self.part(text.as_bytes(), 0, text.len())
    }

    const fn part(mut self, text: &[u8], mut index: usize, end: usize) -> Self {
        while index < end && self.len < self.bytes.len() {
            self.bytes[self.len] = text[index];
            self.len += 1;
            index += 1;
        }
        self
    }

    /// Adds a template: `{}` is the next number, `{rank}` so many ranks.
    #[doc(hidden)]
    pub const fn filled(mut self, template: &str, numbers: &[usize]) -> Self {
        let (bytes, mut index, mut next) = (template.as_bytes(), 0, 0);
        while index < bytes.len() {
            let mut end = index;
            while end < bytes.len() && bytes[end] != b'{' {
                end += 1;
            }
            self = self.part(bytes, index, end);
            index = end + 1;
            if end == bytes.len() {
                break;
            }
            while bytes[end] != b'}' {
                end += 1;
            }
            self = self.number(numbers[next]);
            if index < end {
                self = self.text(" ").part(bytes, index, end);
                self = if numbers[next] == 1 { self } else { self.text("s") };
            }
            (index, next) = (end + 1, next + 1);
        }
        self
    }

    #[doc(hidden)]
    pub const fn number(mut self, number: usize) -> Self {
        if number >= 10 {
            self = self.number(number / 10);
        }
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => self.text(digit),
            Err(_) => self,
        }
    }

    #[doc(hidden)]
    pub const fn counted(self, count: usize, noun: &str) -> Self {
        let text = self.number(count).text(" ").text(noun);
        if count == 1 { text } else { text.text("s") }
    }

    #[doc(hidden)]
    pub const fn then(self, next: &Self) -> Self {
        match core::str::from_utf8(next.bytes.split_at(next.len).0) {
            Ok(text) => self.text(text),
            Err(_) => self,
        }
    }

    /// Returns the text itself.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // A character was cut in two.
            Err(_) => "redistribute!: the layouts do not meet",
        }
    }

    #[track_caller]
    #[doc(hidden)]
    pub const fn panic(&self) -> ! {
        panic!("{}", self.as_str())
    }
}

/// Shows errors in the words that constants fail with.
macro_rules! in_const_words {
    ($error:ty) => {
        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.words($crate::layout::ConstText::new("")).as_str())
            }
        }

        impl core::error::Error for $error {}

        debug_in_words!($error);
    };
}

pub(crate) use in_const_words;
