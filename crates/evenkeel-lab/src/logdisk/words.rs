//! Figures as people read them.
//!
//! It must not know what they are figures of.

/// A time with three digits: `82.1 µs`, `8.33 ms`.
pub fn time(us: f64) -> String {
    match us {
        us if us < 999.5 => format!("{} µs", three(us)),
        us if us < 999_500.0 => format!("{} ms", three(us / 1e3)),
        us => format!("{} s", three(us / 1e6)),
    }
}

/// A number with about three digits.
pub fn three(x: f64) -> String {
    match x {
        x if x < 9.995 => format!("{x:.2}"),
        x if x < 99.95 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}

/// A block size as a setting's value.
pub fn block_size(bytes: u32) -> String {
    format!("{}kB", bytes / 1024)
}

/// How much more b is than a: `12 % more`, `3 % less`.
pub fn change(a: f64, b: f64) -> String {
    let percent = (b / a - 1.0) * 100.0;
    match percent {
        p if p.abs() < 0.5 => "no more".into(),
        p if p >= 100.0 => format!("{} times", three(b / a)),
        p if p > 0.0 => format!("{p:.0} % more"),
        p => format!("{:.0} % less", -p),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_fitting_unit() {
        for (us, text) in [(3.456, "3.46 µs"), (82.1, "82.1 µs"), (999.4, "999 µs"), (8333.0, "8.33 ms")] {
            assert_eq!(time(us), text);
        }
        assert_eq!(time(1_500_000.0), "1.50 s");
    }

    #[test]
    fn changes_are_said_in_words() {
        assert_eq!(change(100.0, 112.0), "12 % more");
        assert_eq!(change(100.0, 88.0), "12 % less");
        assert_eq!(change(100.0, 100.2), "no more");
        assert_eq!(change(100.0, 250.0), "2.50 times");
    }
}
