//! Where the engine's source can be changed, and how: the calls that make something durable or wait for it, each by name, and the operators and bodies
//! among which a seed draws.
//!
//! Invariant 1: a change is text put in at points of the source and keeps its lines, so that a compiler error names the change that made it.
//! Must not know how a change is built or tested.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Calls of which every one is a change of its own, with what stands for them when they are left out.
const DURABLE: [(&str, &str); 19] = [
    ("sync", "Ok(())"),
    ("sync_dir", "Ok(())"),
    ("sync_dir_fd", "Ok(())"),
    ("fsync", "Ok(())"),
    ("fdatasync", "Ok(())"),
    ("sync_data", "Ok(())"),
    ("sync_all", "Ok(())"),
    ("sync_names", "Ok(())"),
    ("sync_created", "Ok(())"),
    ("sync_everything", "Ok(())"),
    ("sync_file", "Ok(0)"),
    ("sync_if_written", "Ok(true)"),
    ("write_both", "Ok(())"),
    ("harden", "Ok(())"),
    ("harden_log", "Ok(None)"),
    ("flush", "Ok(())"),
    ("flush_completed", "Ok(())"),
    ("wait_durable", "Ok(())"),
    ("await_completed", "()"),
];

/// One change of the source.
#[derive(Clone)]
pub struct Site {
    /// Path from the root of the tree.
    pub file: String,
    /// Lines that it covers, from 1.
    pub lines: (usize, usize),
    column: usize,
    /// The function that it is in.
    pub function: String,
    /// What it does, in words.
    pub what: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// The bytes of an expression or of statements, and what stands for them.
    Instead(std::ops::Range<usize>, String),
    /// A statement at this byte.
    First(usize, String),
}

impl Site {
    /// A name that stays as long as the file does not change.
    pub fn key(&self) -> String {
        format!("{}:{}:{} {} in {}", self.file, self.lines.0, self.column, self.what, self.function)
    }

    /// Other text for a piece of the source that is there once.
    pub fn by_text(file: &str, source: &str, find: &str, instead: &str, what: &str) -> Result<Site, String> {
        let (before, rest) = find.split_once('«').unwrap_or(("", find));
        let (inner, after) = rest.split_once('»').unwrap_or((rest, ""));
        let whole = [before, inner, after].concat();
        let mut found = source.match_indices(&whole);
        let (Some((at, _)), None) = (found.next(), found.next()) else {
            return Err(format!("{file} must have this text once, for the change \"{what}\": {whole}"));
        };
        let (at, find) = (at + before.len(), inner);
        let line = source[..at].matches('\n').count() + 1;
        Ok(Site {
            file: file.into(),
            lines: (line, line + find.matches('\n').count()),
            column: at - source[..at].rfind('\n').map_or(0, |n| n + 1) + 1,
            function: "by hand".into(),
            what: what.into(),
            kind: Kind::Instead(at..at + find.len(), instead.into()),
        })
    }
}

/// The source with these changes in it, each behind a switch of its number.
pub fn with_switches(source: &str, sites: &[(u32, &Site)]) -> String {
    let on = |n: u32| format!("::evenkeel::mutant_switch::on({n})");
    // At one point: the ends of inner changes, those of outer ones, then beginnings, the outer ones first.
    let mut points: Vec<(usize, bool, std::cmp::Reverse<usize>, i64, String)> = Vec::new();
    for (i, (n, site)) in sites.iter().enumerate() {
        match &site.kind {
            Kind::Instead(range, instead) => {
                let (open, close) = if instead.ends_with(';') || instead.is_empty() {
                    (format!("if {} {{ {instead} }} else {{ ", on(*n)), " }".to_owned())
                } else {
                    (format!("(if {} {{ {instead} }} else {{ ", on(*n)), " })".to_owned())
                };
                points.push((range.start, true, std::cmp::Reverse(range.end), i as i64, open));
                points.push((range.end, false, std::cmp::Reverse(range.start), -(i as i64), close));
            }
            Kind::First(at, text) => {
                let text = format!(" if {} {{ {text} }}", on(*n));
                points.push((*at, true, std::cmp::Reverse(usize::MAX), i as i64, text));
            }
        }
    }
    points.sort();
    let (mut out, mut from) = (String::with_capacity(source.len() * 2), 0);
    for (at, _, _, _, text) in points {
        out.push_str(&source[from..at]);
        out.push_str(&text.replace('\n', " "));
        from = at;
    }
    out.push_str(&source[from..]);
    out
}

/// All changes of a file: calls by name, or those to draw from.
pub fn sites(file: &str, source: &str, named: bool) -> Result<Vec<Site>, String> {
    let tree = syn::parse_file(source).map_err(|e| format!("{file}: {e}"))?;
    let mut finder = Finder { file, source, named, function: Vec::new(), sites: Vec::new() };
    finder.visit_file(&tree);
    Ok(finder.sites)
}

struct Finder<'a> {
    file: &'a str,
    source: &'a str,
    named: bool,
    function: Vec<String>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn add(&mut self, span: Span, what: String, kind: Kind) {
        self.sites.push(Site {
            file: self.file.into(),
            lines: (span.start().line, span.end().line),
            column: span.start().column + 1,
            function: self.function.join("::"),
            what,
            kind,
        });
    }

    fn instead(&mut self, of: &impl Spanned, what: String, with: String) {
        if !self.function.is_empty() {
            let span = of.span();
            self.add(span, what, Kind::Instead(span.byte_range(), with));
        }
    }

    fn text(&self, of: &impl Spanned) -> &str {
        &self.source[of.span().byte_range()]
    }

    /// A call of this name, if it is one of those that are left out one by one.
    fn call(&mut self, call: &syn::Expr, name: &str) {
        if let Some((name, with)) = DURABLE.iter().find(|(n, _)| *n == name)
            && self.named
        {
            let text = self.text(call).split_whitespace().collect::<String>();
            // The simulated and the in-memory log have nothing to make durable; iterators and writers flush too.
            if !text.starts_with("out.") {
                self.instead(call, format!("leave out {name}: {text}"), (*with).into());
            }
        }
    }

    fn body(&mut self, sig: &syn::Signature, block: &syn::Block) {
        if self.named || block.stmts.is_empty() {
            return;
        }
        let span = block.brace_token.span.open();
        let at = span.byte_range().end;
        for value in defaults(&sig.output) {
            let text = if value.is_empty() { "return;".to_owned() } else { format!("return {value};") };
            self.add(
                span,
                format!("return {} at once", if value.is_empty() { "()" } else { &value }),
                Kind::First(at, text),
            );
        }
    }
}

/// What a function of this type may return at once.
fn defaults(output: &syn::ReturnType) -> Vec<String> {
    let syn::ReturnType::Type(_, ty) = output else { return vec![String::new()] };
    values(ty)
}

fn values(ty: &syn::Type) -> Vec<String> {
    let all = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    match ty {
        syn::Type::Tuple(t) if t.elems.is_empty() => all(&["()"]),
        syn::Type::Path(p) if p.qself.is_none() => {
            let last = p.path.segments.last().expect("a path has a segment");
            let inner = match &last.arguments {
                syn::PathArguments::AngleBracketed(a) => match a.args.first() {
                    Some(syn::GenericArgument::Type(t)) => Some(t),
                    _ => None,
                },
                _ => None,
            };
            match last.ident.to_string().as_str() {
                "bool" => all(&["true", "false"]),
                "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "isize" => all(&["0", "1"]),
                "f64" => all(&["0.0", "1.0"]),
                "Lsn" => all(&["::evenkeel::Lsn(0)"]),
                "Option" => all(&["None"]),
                "Vec" => all(&["Vec::new()"]),
                "String" => all(&["String::new()"]),
                "Duration" => all(&["std::time::Duration::ZERO"]),
                "Result" => {
                    inner.map(values).unwrap_or_default().iter().map(|v| format!("Ok({v})")).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// What may stand for an operator.
fn others(op: &syn::BinOp) -> &'static [&'static str] {
    use syn::BinOp::*;
    match op {
        Eq(_) => &["!="],
        Ne(_) => &["=="],
        Lt(_) => &["<=", ">"],
        Le(_) => &["<", ">"],
        Gt(_) => &[">=", "<"],
        Ge(_) => &[">", "<"],
        And(_) => &["||"],
        Or(_) => &["&&"],
        Add(_) => &["-", "*"],
        Sub(_) => &["+", "/"],
        Mul(_) => &["+", "/"],
        Div(_) => &["*", "%"],
        Rem(_) => &["/", "+"],
        BitAnd(_) => &["|"],
        BitOr(_) => &["&"],
        BitXor(_) => &["|"],
        Shl(_) => &[">>"],
        Shr(_) => &["<<"],
        AddAssign(_) => &["-="],
        SubAssign(_) => &["+="],
        BitAndAssign(_) => &["|="],
        BitOrAssign(_) => &["&="],
        _ => &[],
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg")
                && a.meta.require_list().is_ok_and(|l| l.tokens.to_string().contains("test"))
    })
}

fn has_let(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if !is_test(&m.attrs) {
            visit::visit_item_mod(self, m);
        }
    }

    fn visit_item_impl(&mut self, i: &'ast syn::ItemImpl) {
        let shown =
            |p: &syn::Path| p.segments.last().is_some_and(|s| s.ident == "Debug" || s.ident == "Display");
        if !is_test(&i.attrs) && !i.trait_.as_ref().is_some_and(|(_, p, _)| shown(p)) {
            visit::visit_item_impl(self, i);
        }
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if is_test(&f.attrs) || f.sig.constness.is_some() {
            return;
        }
        self.function.push(f.sig.ident.to_string());
        self.body(&f.sig, &f.block);
        visit::visit_block(self, &f.block);
        self.function.pop();
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        if is_test(&f.attrs) || f.sig.constness.is_some() {
            return;
        }
        self.function.push(f.sig.ident.to_string());
        self.body(&f.sig, &f.block);
        visit::visit_block(self, &f.block);
        self.function.pop();
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, r: &'ast syn::ExprRepeat) {
        self.visit_expr(&r.expr);
    }

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        match e {
            syn::Expr::MethodCall(c) => self.call(e, &c.method.to_string()),
            syn::Expr::Call(c) => {
                if let syn::Expr::Path(p) = &*c.func
                    && let Some(last) = p.path.segments.last()
                {
                    self.call(e, &last.ident.to_string());
                }
            }
            syn::Expr::Binary(b) if !self.named && !has_let(e) => {
                for other in others(&b.op) {
                    let with = format!("{} {other} {}", self.text(&b.left), self.text(&b.right));
                    let what = format!("{} for {} in `{}`", other, self.text(&b.op), short(self.text(e)));
                    self.instead(e, what, with);
                }
            }
            syn::Expr::Unary(u) if !self.named && matches!(u.op, syn::UnOp::Not(_)) => {
                let with = self.text(&u.expr).to_owned();
                self.instead(e, format!("without ! in `{}`", short(self.text(e))), with);
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

fn short(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(70) {
        Some((at, _)) => format!("{}…", &one_line[..at]),
        None => one_line,
    }
}
