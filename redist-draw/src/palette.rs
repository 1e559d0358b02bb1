//! Colours of ranks, volumes and text.

/// Text, common pieces, and all else that must stand out beside ranks.
pub const INK: &str = "#111418";
/// Colour of secondary text.
pub const QUIET: &str = "#5F6B76";
/// Elements of other ranks.
pub const PALE: &str = "#EDF0F2";
/// Colour of the background.
pub const PAPER: &str = "#FFFFFF";

/// Eight light and eight dark colours, found by simulated annealing for the largest least distance
/// of any two, with normal vision and simulated protanopia, deuteranopia and tritanopia. A test
/// below measures it.
const RANKS: [&str; 16] = [
    "#86B9E9", "#E38834", "#E3CE67", "#8F8CE8", "#C5F5B3", "#D59CA9", "#8CE1DC", "#3C58A0",
    "#C5631A", "#85325F", "#268EAE", "#544D13", "#A97775", "#173C1A", "#481B57", "#8A5E4E",
];

/// Number of ranks with a colour of their own.
pub const DISTINCT: usize = RANKS.len();

pub fn of_rank(rank: usize) -> &'static str {
    RANKS[rank % DISTINCT]
}

pub fn text_on(background: &str) -> &'static str {
    if luminance(background) > 0.3 { INK } else { PAPER }
}

/// Returns the colour of `value` on a scale from 0, which is white, to `most`.
pub fn of_volume(value: u128, most: u128) -> String {
    if value == 0 || most == 0 {
        return PAPER.to_owned();
    }
    // The lightest tenth of the scale would look like nothing, the darkest is darker than the text
    // of other cells.
    let color = colorous::BLUES.eval_continuous(0.1 + 0.75 * value as f64 / most as f64);
    format!("#{color:X}")
}

/// Relative luminance (WCAG 2) of a colour `#RRGGBB`; of anything else, that of white.
fn luminance(color: &str) -> f64 {
    let [red, green, blue] = linear(color);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn linear(color: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let byte = color
            .get(at..at + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .unwrap_or(255);
        let value = f64::from(byte) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    /// Normal vision, and protanopia, deuteranopia and tritanopia by Machado, Oliveira and
    /// Fernandes (2009).
    const VISIONS: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];
    const TO_CONES: Matrix = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ];
    const TO_OKLAB: Matrix = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ];

    fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
    }

    /// Returns the colour as seen, in Ottosson's OKLab.
    fn seen(color: &str, vision: &Matrix) -> [f64; 3] {
        let light = times(vision, linear(color)).map(|value| value.max(0.0));
        times(&TO_OKLAB, times(&TO_CONES, light).map(f64::cbrt))
    }

    fn distance(a: &str, b: &str, vision: &Matrix) -> f64 {
        let (a, b) = (seen(a, vision), seen(b, vision));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn ranks_can_be_told_apart_whatever_the_vision() {
        for vision in &VISIONS {
            for (number, a) in RANKS.iter().enumerate() {
                for b in RANKS[..number].iter().chain([&PAPER]) {
                    // Okabe and Ito's seven colours come to 0.076.
                    assert!(distance(a, b, vision) > 0.08, "{a} {b} {}", distance(a, b, vision));
                }
                assert!(distance(a, INK, vision) > 0.07, "{a} {}", distance(a, INK, vision));
            }
        }
    }

    #[test]
    fn text_can_be_read_on_every_colour() {
        let scale = (0..=10).map(|value| of_volume(value, 10));
        for background in RANKS.map(str::to_owned).into_iter().chain(scale) {
            let (a, b) = (luminance(&background) + 0.05, luminance(text_on(&background)) + 0.05);
            assert!(a.max(b) / a.min(b) > 3.0, "{background}");
        }
    }

    #[test]
    fn more_is_darker_and_nothing_is_white() {
        let scale: Vec<f64> = (0..=8).map(|value| luminance(&of_volume(value, 8))).collect();
        assert!(scale.is_sorted_by(|lighter, darker| lighter > darker), "{scale:?}");
        assert_eq!((of_volume(0, 8), of_volume(0, 0)), (PAPER.to_owned(), PAPER.to_owned()));
    }
}
