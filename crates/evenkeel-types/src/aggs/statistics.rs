//! Variance, standard deviation, and the two-argument regression aggregates.
//!
//! Numerics (and integers) keep exact sums of values and squares; floats use Youngs and Cramer's updating, as PostgreSQL does.

use super::skipped;
use crate::cast::float_overflow;
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::{AggFn, AggState, EvalCtx};
use crate::numeric::Numeric;
use crate::ty::Type as T;

/// Which of the four results is wanted.
#[derive(Clone, Copy)]
struct Want {
    sample: bool,
    deviation: bool,
}

struct Exact {
    count: i64,
    sum: Numeric,
    squares: Numeric,
    want: Want,
}

impl AggState for Exact {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        if skipped(args) {
            return Ok(());
        }
        let v = match &args[0] {
            Datum::Numeric(n) => n.clone(),
            d => Numeric::from(d.as_i64().unwrap_or(0)),
        };
        self.sum = self.sum.add(&v)?;
        self.squares = self.squares.add(&v.mul(&v)?)?;
        self.count += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        let n = self.count;
        if n == 0 || (self.want.sample && n == 1) {
            return Ok(Datum::Null);
        }
        if !self.sum.is_finite() || !self.squares.is_finite() {
            return Ok(Datum::Numeric(Numeric::NAN));
        }
        let count = Numeric::from(n);
        let spread = count.mul(&self.squares)?.sub(&self.sum.mul(&self.sum)?)?;
        if spread.signum() <= 0 {
            return Ok(Datum::Numeric(Numeric::ZERO));
        }
        let divisor = count.mul(&if self.want.sample { Numeric::from(n - 1) } else { count.clone() })?;
        let variance = spread.div(&divisor)?;
        Ok(Datum::Numeric(if self.want.deviation {
            variance.sqrt_at_scale(variance.scale())?
        } else {
            variance
        }))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.sum.heap_bytes() + self.squares.heap_bytes()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

struct Float {
    n: f64,
    sum: f64,
    squares: f64,
    want: Want,
}

impl AggState for Float {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let v = match args.first() {
            Some(Datum::Float8(v)) => *v,
            Some(Datum::Float4(v)) => f64::from(*v),
            _ => return Ok(()),
        };
        let (old_n, old_sum) = (self.n, self.sum);
        self.n += 1.0;
        self.sum += v;
        if old_n > 0.0 {
            let t = v * self.n - self.sum;
            self.squares += t * t / (self.n * old_n);
            if self.sum.is_infinite() || self.squares.is_infinite() {
                if !old_sum.is_infinite() && !v.is_infinite() {
                    return Err(float_overflow());
                }
                self.squares = f64::NAN;
            }
        } else if !v.is_finite() {
            self.squares = f64::NAN;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        if self.n == 0.0 || (self.want.sample && self.n == 1.0) {
            return Ok(Datum::Null);
        }
        let variance = self.squares / if self.want.sample { self.n - 1.0 } else { self.n };
        Ok(Datum::Float8(if self.want.deviation { variance.sqrt() } else { variance }))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

macro_rules! makers {
    ($($exact:ident $float:ident $sample:literal $deviation:literal;)*) => {
        $(
            fn $exact(_: &[T]) -> Box<dyn AggState> {
                let want = Want { sample: $sample, deviation: $deviation };
                Box::new(Exact { count: 0, sum: Numeric::ZERO, squares: Numeric::ZERO, want })
            }
            fn $float(_: &[T]) -> Box<dyn AggState> {
                let want = Want { sample: $sample, deviation: $deviation };
                Box::new(Float { n: 0.0, sum: 0.0, squares: 0.0, want })
            }
        )*
    };
}

makers! {
    exact_var_samp float_var_samp true false;
    exact_var_pop float_var_pop false false;
    exact_dev_samp float_dev_samp true true;
    exact_dev_pop float_dev_pop false true;
}

/// Which regression result is wanted.
#[derive(Clone, Copy)]
enum Regression {
    Count,
    AvgX,
    AvgY,
    Sxx,
    Syy,
    Sxy,
    Slope,
    Intercept,
    R2,
    Correlation,
    CovarPop,
    CovarSamp,
}

struct Pairs {
    n: f64,
    sum_x: f64,
    sum_y: f64,
    sxx: f64,
    syy: f64,
    sxy: f64,
    want: Regression,
}

impl AggState for Pairs {
    fn update(&mut self, args: &[Datum], _: &EvalCtx<'_>) -> Result<(), SqlError> {
        let [Datum::Float8(y), Datum::Float8(x)] = args else { return Ok(()) };
        let (old_n, old_x, old_y) = (self.n, self.sum_x, self.sum_y);
        self.n += 1.0;
        self.sum_x += x;
        self.sum_y += y;
        if old_n > 0.0 {
            let tx = x * self.n - self.sum_x;
            let ty = y * self.n - self.sum_y;
            let scale = 1.0 / (self.n * old_n);
            self.sxx += tx * tx * scale;
            self.syy += ty * ty * scale;
            self.sxy += tx * ty * scale;
            // Of what is infinite they are no numbers; of what is not they have run over.
            let was_finite = |sum: f64, new: &f64| !sum.is_infinite() && !new.is_infinite();
            let (of_x, of_y) = (was_finite(old_x, x), was_finite(old_y, y));
            if (of_x && (self.sum_x.is_infinite() || self.sxx.is_infinite()))
                || (of_y && (self.sum_y.is_infinite() || self.syy.is_infinite()))
                || (of_x && of_y && self.sxy.is_infinite())
            {
                let why = "value out of range: overflow";
                return Err(SqlError::new(crate::error::SqlState::NUMERIC_VALUE_OUT_OF_RANGE, why));
            }
            for s in [&mut self.sxx, &mut self.syy, &mut self.sxy] {
                if s.is_infinite() {
                    *s = f64::NAN;
                }
            }
        } else {
            if !x.is_finite() {
                (self.sxx, self.sxy) = (f64::NAN, f64::NAN);
            }
            if !y.is_finite() {
                (self.syy, self.sxy) = (f64::NAN, f64::NAN);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Datum, SqlError> {
        use Regression as R;
        let n = self.n;
        if let R::Count = self.want {
            return Ok(Datum::Int8(n as i64));
        }
        let enough = if matches!(self.want, R::CovarSamp) { 2.0 } else { 1.0 };
        if n < enough {
            return Ok(Datum::Null);
        }
        let v = match self.want {
            R::Count => None,
            R::AvgX => Some(self.sum_x / n),
            R::AvgY => Some(self.sum_y / n),
            R::Sxx => Some(self.sxx),
            R::Syy => Some(self.syy),
            R::Sxy => Some(self.sxy),
            R::Slope => (self.sxx != 0.0).then(|| self.sxy / self.sxx),
            R::Intercept => (self.sxx != 0.0).then(|| (self.sum_y - self.sum_x * self.sxy / self.sxx) / n),
            R::R2 if self.sxx == 0.0 => None,
            R::R2 if self.syy == 0.0 => Some(1.0),
            R::R2 => Some((self.sxy * self.sxy) / (self.sxx * self.syy)),
            R::Correlation => {
                (self.sxx != 0.0 && self.syy != 0.0).then(|| self.sxy / (self.sxx * self.syy).sqrt())
            }
            R::CovarPop => Some(self.sxy / n),
            R::CovarSamp => Some(self.sxy / (n - 1.0)),
        };
        Ok(v.map_or(Datum::Null, Datum::Float8))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }

    fn current(&mut self) -> Result<Option<Datum>, SqlError> {
        self.finish().map(Some)
    }
}

macro_rules! pairs {
    ($($name:ident $want:ident;)*) => {
        $(fn $name(_: &[T]) -> Box<dyn AggState> {
            let want = Regression::$want;
            Box::new(Pairs { n: 0.0, sum_x: 0.0, sum_y: 0.0, sxx: 0.0, syy: 0.0, sxy: 0.0, want })
        })*
    };
}

pairs! {
    regr_count Count;
    regr_avgx AvgX;
    regr_avgy AvgY;
    regr_sxx Sxx;
    regr_syy Syy;
    regr_sxy Sxy;
    regr_slope Slope;
    regr_intercept Intercept;
    regr_r2 R2;
    corr Correlation;
    covar_pop CovarPop;
    covar_samp CovarSamp;
}

macro_rules! spread {
    ($($sql:literal $exact:ident $float:ident;)*) => {
        &[
            $(
                AggFn { name: $sql, args: &[T::Int2], ret: T::Numeric, new: $exact },
                AggFn { name: $sql, args: &[T::Int4], ret: T::Numeric, new: $exact },
                AggFn { name: $sql, args: &[T::Int8], ret: T::Numeric, new: $exact },
                AggFn { name: $sql, args: &[T::Numeric], ret: T::Numeric, new: $exact },
                AggFn { name: $sql, args: &[T::Float4], ret: T::Float8, new: $float },
                AggFn { name: $sql, args: &[T::Float8], ret: T::Float8, new: $float },
            )*
            AggFn { name: "regr_count", args: PAIR, ret: T::Int8, new: regr_count },
            AggFn { name: "regr_avgx", args: PAIR, ret: T::Float8, new: regr_avgx },
            AggFn { name: "regr_avgy", args: PAIR, ret: T::Float8, new: regr_avgy },
            AggFn { name: "regr_sxx", args: PAIR, ret: T::Float8, new: regr_sxx },
            AggFn { name: "regr_syy", args: PAIR, ret: T::Float8, new: regr_syy },
            AggFn { name: "regr_sxy", args: PAIR, ret: T::Float8, new: regr_sxy },
            AggFn { name: "regr_slope", args: PAIR, ret: T::Float8, new: regr_slope },
            AggFn { name: "regr_intercept", args: PAIR, ret: T::Float8, new: regr_intercept },
            AggFn { name: "regr_r2", args: PAIR, ret: T::Float8, new: regr_r2 },
            AggFn { name: "corr", args: PAIR, ret: T::Float8, new: corr },
            AggFn { name: "covar_pop", args: PAIR, ret: T::Float8, new: covar_pop },
            AggFn { name: "covar_samp", args: PAIR, ret: T::Float8, new: covar_samp },
        ]
    };
}

const PAIR: &[T] = &[T::Float8, T::Float8];

pub(super) const TABLE: &[AggFn] = spread! {
    "variance" exact_var_samp float_var_samp;
    "var_samp" exact_var_samp float_var_samp;
    "var_pop" exact_var_pop float_var_pop;
    "stddev" exact_dev_samp float_dev_samp;
    "stddev_samp" exact_dev_samp float_dev_samp;
    "stddev_pop" exact_dev_pop float_dev_pop;
};
