//! Does the disk turn? A rotating disk ends its writes at the same angle: the ends of writes begun at random times lie a whole number of
//! revolutions apart.
//!
//! Method: for a period P put each end on a circle of circumference P; the length of the mean of these points (0 to 1) says how closely
//! they agree. Periods are tried from the slowest disk to the fastest, and the longest that agrees is taken, as its
//! fractions agree as well.
//!
//! It must not know where the times come from.

use std::f64::consts::TAU;

/// Fewer ends prove nothing.
const ENDS_MIN: usize = 24;
/// Of more, the first: no motor keeps its speed so well that the angle could be told after many revolutions.
const ENDS_MAX: usize = 64;
/// Revolutions a second of the slowest and the fastest disk looked for (3300 and 16500 a minute).
const PER_S: (f64, f64) = (55.0, 275.0);
/// Agreement that chance does not reach: with 24 random points on some thousand circles it stays under 0.75. Jitter costs some of it: on busy
/// processors the program learns late of the end.
const AGREEMENT: f64 = 0.8;
/// Beats of the kernel's own clock that a program on a busy processor is woken at; no disk keeps one so exactly.
const TICKS_PER_S: [f64; 3] = [100.0, 250.0, 125.0];
/// How exactly.
const TICK_MARGIN: f64 = 0.0015;

/// The revolution in nanoseconds, if there is one.
pub fn revolution_ns(ends_ns: &[u64]) -> Option<f64> {
    let ends = &ends_ns[..ends_ns.len().min(ENDS_MAX)];
    if ends.len() < ENDS_MIN {
        return None;
    }
    let first = ends[0];
    let seconds: Vec<f64> = ends.iter().map(|&e| e.saturating_sub(first) as f64 / 1e9).collect();
    let span = seconds.last().copied().unwrap_or(0.0);
    // Ends closer together than any revolution are not one turn apart; many such, and it is not the platter that times them.
    let close = seconds.windows(2).filter(|w| w[1] - w[0] < 0.5 / PER_S.1).count();
    if span <= 0.0 || close * 4 > seconds.len() {
        return None;
    }
    // Fine enough that the last point moves by no more than a twentieth of a turn from one frequency to the next.
    let step = 0.05 / span;
    let mut best: Option<(f64, f64)> = None;
    let mut frequency = PER_S.0;
    while frequency <= PER_S.1 {
        let agreement = agreement(&seconds, frequency);
        match best {
            Some((_, a)) if agreement > a => best = Some((frequency, agreement)),
            None if agreement > AGREEMENT => best = Some((frequency, agreement)),
            // Past the first peak: what follows are its fractions.
            Some((f, _)) if frequency > f * 1.02 => break,
            _ => {}
        }
        frequency += step;
    }
    let (frequency, _) = best?;
    let ticks = TICKS_PER_S.iter().any(|t| (frequency / t - 1.0).abs() < TICK_MARGIN);
    (!ticks).then_some(1e9 / frequency)
}

fn agreement(seconds: &[f64], frequency: f64) -> f64 {
    let (mut x, mut y) = (0.0, 0.0);
    for s in seconds {
        let (sin, cos) = (s * frequency * TAU).sin_cos();
        x += cos;
        y += sin;
    }
    x.hypot(y) / seconds.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends of writes begun at random times, each taking what `service` makes of its start.
    fn ends(seed: u64, n: usize, service: impl Fn(&mut fastrand::Rng, f64) -> f64) -> Vec<u64> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut now = 0.0;
        (0..n)
            .map(|_| {
                now += rng.f64() * 16e6;
                now = service(&mut rng, now);
                now as u64
            })
            .collect()
    }

    #[test]
    fn a_rotating_disk_is_found_with_its_speed_in_spite_of_jitter() {
        for rpm in [4200.0, 5400.0, 7200.0, 10_000.0, 14_950.0] {
            let revolution = 60e9 / rpm;
            let seen = ends(7, 60, |rng, now| (now / revolution).ceil() * revolution + rng.f64() * 150e3);
            let found = revolution_ns(&seen).expect("a period");
            assert!((found / revolution - 1.0).abs() < 0.005, "{rpm} rpm: found {found} ns");
        }
    }

    #[test]
    fn a_fixed_or_random_latency_is_no_rotation() {
        for seed in 0..50 {
            for latency in [80e3, 1e6, 5e6, 10e6] {
                assert_eq!(revolution_ns(&ends(seed, 60, |_, now| now + latency)), None, "seed {seed}");
                let random = ends(seed, 60, |rng, now| now + latency * (0.5 + rng.f64()));
                assert_eq!(revolution_ns(&random), None, "seed {seed}");
            }
        }
    }

    #[test]
    fn wake_ups_at_the_beat_of_the_kernel_are_no_rotation_and_do_not_hide_one() {
        let tick = |now: f64| (now / 4e6).ceil() * 4e6;
        assert_eq!(revolution_ns(&ends(3, 60, |_, now| tick(now))), None);
        let revolution = 60e9 / 7200.0;
        let turned = |now: f64| (now / revolution).ceil() * revolution;
        let late = ends(3, 60, |rng, now| if rng.u8(..) < 20 { tick(turned(now)) } else { turned(now) });
        assert!((revolution_ns(&late).expect("a period") / revolution - 1.0).abs() < 0.005);
    }

    #[test]
    fn few_writes_prove_nothing() {
        assert_eq!(revolution_ns(&ends(1, 20, |_, now| (now / 8e6).ceil() * 8e6)), None);
        assert_eq!(revolution_ns(&[]), None);
    }
}
