//! Closed sets of words, each declared once.

/// An enum whose variants are words of the wire.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All of them, in order.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];
            /// Their words.
            $vis const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire.
            $vis const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The one with this word.
            $vis fn with_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.word() == word)
            }
        }
    };
}

pub(crate) use words;
