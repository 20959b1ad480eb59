//! Functions that return rows as PostgreSQL writes them.
//!
//! Must not know: statements.

use super::expr::Writer;
use crate::plan::SetFunction;
use crate::plan::expr::Expr;
use evenkeel_types::funcs::populate_set;
use evenkeel_types::{Datum, Type};

impl Writer<'_, '_> {
    /// A function that returns rows.
    pub fn set_function(&self, name: &str, f: &SetFunction) -> Option<String> {
        let list = |args: &[Expr], want: Type| self.list(args, want, 0);
        let plain = |args: &[Expr]| {
            let one = |e: &Expr| match e {
                Expr::Const(Datum::Int8(n)) if i32::try_from(*n).is_err() => Some(format!("'{n}'::bigint")),
                Expr::Const(Datum::Int8(n)) => Some(format!("({n})::bigint")),
                e => self.text(e, Type::Text, 0),
            };
            Some(args.iter().map(one).collect::<Option<Vec<String>>>()?.join(", "))
        };
        Some(match f {
            SetFunction::Series { args, .. } if name == "generate_series" => {
                format!("generate_series({})", plain(args)?)
            }
            SetFunction::TimeSeries { args, .. } => {
                format!("generate_series({})", list(args, Type::Timestamptz)?)
            }
            SetFunction::Unnest(args) if name == "unnest" => format!("unnest({})", list(args, Type::Text)?),
            SetFunction::Records { args, .. } => {
                let json = if name.starts_with("jsonb") { Type::Jsonb } else { Type::Json };
                let before = args.get(1).map(|e| self.text(e, Type::Record, 0).ok_or(()));
                let before = before.transpose().ok()?.map_or_else(String::new, |b| b + ", ");
                format!("{}({before}{})", self.function_name(name), self.text(args.first()?, json, 0)?)
            }
            SetFunction::Rows { f, args, .. } if populate_set(f.name).is_some() => {
                self.populated(name, args, f.args)?
            }
            SetFunction::Rows { f, args, .. } => self.called(name, args, f.args, 0)?,
            SetFunction::Scalar(e) => self.text(e, Type::Text, 0)?,
            SetFunction::JsonTable(t) => self.json_table(t)?,
            _ => return None,
        })
    }
}
