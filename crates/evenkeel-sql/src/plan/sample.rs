//! TABLESAMPLE: which part of a table is read.
//!
//! Must not know: how it is drawn (`exec::sample`).

use super::expr::Expr;
use evenkeel_types::Datum;

/// TABLESAMPLE.
#[derive(Clone, Debug)]
pub struct Sample {
    /// By what.
    pub method: Method,
    /// How many of a hundred, a real.
    pub percent: Expr,
    /// REPEATABLE, a double precision.
    pub seed: Option<Expr>,
}

/// What is drawn for a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Each row by itself.
    Bernoulli,
    /// Rows that lie beside each other together.
    System,
}

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Bernoulli => "bernoulli",
            Method::System => "system",
        }
    }
}

impl Sample {
    /// Its values.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        std::iter::once(&self.percent).chain(&self.seed)
    }

    /// How many rows are drawn, of one, as far as that is known.
    pub(super) fn share(&self) -> f64 {
        match self.percent {
            Expr::Const(Datum::Float4(p)) if (0.0..=100.0).contains(&p) => f64::from(p) / 100.0,
            _ => 0.1,
        }
    }
}
