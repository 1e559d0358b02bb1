//! A macro for errors whose `Debug` are their words.

/// Implements `Debug` by `Display`, because errors that `main` returns are shown by `Debug`.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_in_words {
    ($error:ty) => {
        impl core::fmt::Debug for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
    };
}
