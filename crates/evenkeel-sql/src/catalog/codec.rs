//! The stored form of catalog objects.
//!
//! Key: kind (1 byte), OID (4 bytes, big-endian); of what is another database's than the first: a mark (1 byte), that database's OID (4 bytes, big-endian), then these. Value: a version byte (1), then the fields in order; numbers are little-endian,
//! strings and lists are preceded by a 4-byte length. A later version adds fields at the end. A table's row ends with parts, each a byte that says
//! what it is (`part`), a length and its bytes. What has nothing special has none, and who does not know one refuses the row.
//!
//! Must not know: how rows are written or found.

mod collations;
mod columns;
mod index_parts;
mod special;
mod types;

use super::*;
use special::{bit, flag, set_special, special_constraints};
use std::collections::BTreeSet;

const VERSION: u8 = 1;

/// What the parts at the end of a table's row are.
mod part {
    /// For each constraint that is deferrable, not valid and the like: its OID, flags, and columns that ON DELETE sets.
    pub const CONSTRAINTS: u8 = 1;
    /// NOT NULL constraints.
    pub const NOT_NULLS: u8 = 2;
    /// Of columns with settings: the position, statistics target, storage and compression as letters, options.
    pub const COLUMNS: u8 = 3;
    /// Of indexes that are not plain: OID, method, INCLUDE, expressions (text, type, name), predicate, options.
    pub const INDEXES: u8 = 4;
    /// Generated columns, whose expressions stand where defaults do: position, whether they are stored.
    pub const GENERATED: u8 = 5;
    /// Of indexes with expressions or a predicate: OID, the columns that these read.
    pub const INDEX_READS: u8 = 6;
    /// Columns of domains: position, the domain.
    pub const DOMAINS: u8 = 33;
    /// Of a materialized view: whether it is populated, its query.
    pub const MATERIALIZED: u8 = 32;
    /// The index that CLUSTER ON names (0: none), REPLICA IDENTITY as a letter, its index.
    pub const MARKS: u8 = 34;
    /// The composite type that the table is OF.
    pub const OF_TYPE: u8 = 37;
    /// DISABLE TRIGGER ALL: nothing more.
    pub const TRIGGERS_OFF: u8 = 38;
    /// CREATE STATISTICS: OID, name, kinds, columns, target.
    pub const STATISTICS: u8 = 43;
    /// Columns that rows may be without: position, the value that these have there, as a row of it alone.
    pub const MISSING: u8 = 42;
    /// Columns with COLLATE: position, OID of the collation.
    pub const COLLATIONS: u8 = 35;
    /// Columns that were declared with more than one pair of brackets: position, how many.
    pub const DIMENSIONS: u8 = 40;
    /// Indexes that are not valid: OID, state.
    pub const INDEX_STATES: u8 = 36;
    /// Columns of indexes whose order is not bytewise: OID of the index, number, OID of the collation (0: the column's own), locale, version of the rules.
    pub const INDEX_COLLATIONS: u8 = 39;
    /// Expressions of indexes whose collation is not the database's: OID of the index, number, OID of the collation.
    pub const EXPRESSION_COLLATIONS: u8 = 41;
    /// Expressions of indexes with a statistics target: OID of the index, number, the target.
    pub const EXPRESSION_TARGETS: u8 = 44;
}

/// What a key begins with that names its database.
const OF_DATABASE: u8 = 64;

/// The key of an object of the first database, or of what belongs to all.
pub fn key(kind: Kind, oid: u32) -> [u8; 5] {
    let [a, b, c, d] = oid.to_be_bytes();
    [kind as u8, a, b, c, d]
}

/// The key of an object of a database.
pub fn key_in(database: u32, kind: Kind, oid: u32) -> Vec<u8> {
    let mut all = if database == DATABASE_OID { Vec::new() } else { keys_of(database) };
    all.extend(key(kind, oid));
    all
}

/// What all keys of a database that is not the first begin with.
pub fn keys_of(database: u32) -> Vec<u8> {
    let [a, b, c, d] = database.to_be_bytes();
    vec![OF_DATABASE, a, b, c, d]
}

/// A kind of rows that a copy of a database has, by its number.
pub fn copied_kind(kind: u8) -> Option<Kind> {
    use Kind as K;
    let all = [K::Schema, K::Table, K::Sequence, K::Statistics, K::Comments, K::View, K::Type, K::Extension];
    all.into_iter()
        .chain([K::LargeObjects, K::Collation, K::Access, K::DefaultAcl])
        .find(|k| *k as u8 == kind)
}

/// Reads a key: database, kind, OID. What belongs to all is as if it were of the first.
pub fn read_key(key: &[u8]) -> Option<(u32, u8, u32)> {
    let number = |bytes: &[u8]| Some(u32::from_be_bytes(bytes.try_into().ok()?));
    match key {
        [OF_DATABASE, rest @ ..] if rest.len() == 9 => {
            Some((number(&rest[..4])?, rest[4], number(&rest[5..])?))
        }
        [kind, oid @ ..] => Some((DATABASE_OID, *kind, number(oid)?)),
        [] => None,
    }
}

pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub fn bool(&mut self, v: bool) {
        self.0.push(u8::from(v));
    }
    pub fn u32(&mut self, v: u32) {
        self.0.extend(v.to_le_bytes());
    }
    pub fn i64(&mut self, v: i64) {
        self.0.extend(v.to_le_bytes());
    }
    pub fn len(&mut self, v: usize) {
        self.u32(v as u32);
    }
    pub fn str(&mut self, v: &str) {
        self.len(v.len());
        self.0.extend(v.as_bytes());
    }
    fn part(&mut self, what: u8, write: impl FnOnce(&mut Self)) {
        self.u8(what);
        let at = self.0.len();
        self.u32(0);
        write(self);
        let len = (self.0.len() - at - 4) as u32;
        self.0[at..at + 4].copy_from_slice(&len.to_le_bytes());
    }
    pub fn opt_str(&mut self, v: Option<&str>) {
        self.bool(v.is_some());
        if let Some(v) = v {
            self.str(v);
        }
    }
}

pub(super) struct Reader<'a>(pub &'a [u8]);

pub(super) fn corrupt() -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, "catalog row is damaged")
}

impl<'a> Reader<'a> {
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], SqlError> {
        let (head, tail) = self.0.split_at_checked(n).ok_or_else(corrupt)?;
        self.0 = tail;
        Ok(head)
    }
    fn u8(&mut self) -> Result<u8, SqlError> {
        Ok(self.take(1)?[0])
    }
    pub fn bool(&mut self) -> Result<bool, SqlError> {
        Ok(self.u8()? != 0)
    }
    pub fn u32(&mut self) -> Result<u32, SqlError> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| corrupt())?))
    }
    fn i32(&mut self) -> Result<i32, SqlError> {
        Ok(self.u32()? as i32)
    }
    pub fn i64(&mut self) -> Result<i64, SqlError> {
        Ok(i64::from_le_bytes(self.take(8)?.try_into().map_err(|_| corrupt())?))
    }
    pub fn str(&mut self) -> Result<String, SqlError> {
        let n = self.u32()? as usize;
        String::from_utf8(self.take(n)?.to_vec()).map_err(|_| corrupt())
    }
    pub fn opt_str(&mut self) -> Result<Option<String>, SqlError> {
        if self.bool()? { self.str().map(Some) } else { Ok(None) }
    }
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let n = self.u32()? as usize;
        if n > self.0.len() {
            return Err(corrupt());
        }
        (0..n).map(|_| item(self)).collect()
    }
    fn ty(&mut self) -> Result<Type, SqlError> {
        Type::from_stored_oid(self.u32()?).ok_or_else(corrupt)
    }
}

/// The value of an object.
pub fn encode(object: &Object) -> Vec<u8> {
    let mut w = Writer(vec![VERSION]);
    match object {
        Object::Schema(s) => w.str(&s.name),
        Object::Sequence(s) => encode_sequence(&mut w, s),
        Object::Table(t) => encode_table(&mut w, t),
        Object::View(v) => encode_view(&mut w, v),
        Object::Extension(e) => {
            w.u32(e.schema);
            w.str(&e.name);
        }
        Object::Type(t) => types::encode(&mut w, t),
        Object::Collation(c) => collations::encode_own(&mut w, c),
        Object::Comments(c) => {
            w.len(c.texts.len());
            for ((class, part), text) in &c.texts {
                w.u32(*class);
                w.u32(*part as u32);
                w.str(text);
            }
        }
        Object::Database(d) => {
            w.str(&d.name);
            w.bool(d.allow_connections);
            w.bool(d.is_template);
            w.u32(d.connection_limit as u32);
            if d.locale != DatabaseLocale::default() {
                w.u8(d.locale.provider as u8);
                w.str(&d.locale.collate);
                w.str(&d.locale.ctype);
                w.opt_str(d.locale.locale.as_deref());
            }
        }
        Object::LargeObjects(tree) => w.i64(tree.0 as i64),
        Object::Security(s) => security::encode(&mut w, s),
    }
    w.0
}

fn encode_view(w: &mut Writer, v: &View) {
    w.u32(v.schema);
    w.str(&v.name);
    w.len(v.columns.len());
    for c in &v.columns {
        w.str(&c.name);
        w.u32(c.ty.oid());
        w.u32(c.typmod as u32);
        w.opt_str(c.default.as_deref());
    }
    w.len(v.options.len());
    v.options.iter().for_each(|o| w.str(o));
    encode_query(w, &v.query);
    let of_domains: Vec<_> = v.columns.iter().enumerate().filter_map(|(n, c)| Some((n, c.domain?))).collect();
    let collated: Vec<_> = v.columns.iter().enumerate().filter(|(_, c)| c.collation != 0).collect();
    if !of_domains.is_empty() || !collated.is_empty() {
        w.len(of_domains.len());
        for (n, domain) in of_domains {
            w.len(n);
            w.u32(domain);
        }
    }
    if !collated.is_empty() {
        w.len(collated.len());
        for (n, c) in collated {
            w.len(n);
            w.u32(c.collation);
        }
    }
}

fn encode_query(w: &mut Writer, q: &StoredQuery) {
    w.str(&q.text);
    // A key stands behind them, as what has no name.
    let key = |oid: &u32| Read { oid: *oid, name: String::new(), columns: Vec::new(), used: BTreeSet::new() };
    let keys: Vec<Read> = q.keys.iter().map(key).collect();
    w.len(q.reads.len() + keys.len());
    for r in q.reads.iter().chain(&keys) {
        w.u32(r.oid);
        w.str(&r.name);
        w.len(r.columns.len());
        for (n, name) in &r.columns {
            w.len(*n);
            w.str(name);
        }
        w.len(r.used.len());
        r.used.iter().for_each(|n| w.len(*n));
    }
}

fn decode_view(oid: u32, r: &mut Reader<'_>) -> Result<View, SqlError> {
    let (schema, name) = (r.u32()?, r.str()?);
    let mut columns = r.list(|r| {
        let (name, ty, typmod, default) = (r.str()?, r.ty()?, r.i32()?, r.opt_str()?);
        Ok(ViewColumn { collation: 0, name, ty, typmod, default, domain: None })
    })?;
    let options = r.list(Reader::str)?;
    let query = Arc::new(decode_query(r)?);
    // Rows of views without such columns end here.
    if !r.0.is_empty() {
        for (n, domain) in r.list(|r| Ok((r.u32()? as usize, r.u32()?)))? {
            columns.get_mut(n).ok_or_else(corrupt)?.domain = Some(domain);
        }
    }
    if !r.0.is_empty() {
        for (n, collation) in r.list(|r| Ok((r.u32()? as usize, r.u32()?)))? {
            columns.get_mut(n).ok_or_else(corrupt)?.collation = collation;
        }
    }
    Ok(View { oid, schema, name, columns, options, query })
}

fn decode_query(r: &mut Reader<'_>) -> Result<StoredQuery, SqlError> {
    let text = r.str()?;
    let place = |r: &mut Reader<'_>| Ok(r.u32()? as usize);
    let mut reads = r.list(|r| {
        let (oid, name) = (r.u32()?, r.str()?);
        let columns = r.list(|r| Ok((place(r)?, r.str()?)))?;
        Ok(Read { oid, name, columns, used: r.list(place)?.into_iter().collect() })
    })?;
    let keys = reads.extract_if(.., |read| read.name.is_empty()).map(|read| read.oid).collect();
    Ok(StoredQuery { text, reads, keys })
}

fn encode_sequence(w: &mut Writer, s: &Sequence) {
    w.u32(s.schema);
    w.str(&s.name);
    w.u32(s.ty.oid());
    for v in [s.start, s.increment, s.min, s.max, s.cache] {
        w.i64(v);
    }
    w.bool(s.cycle);
    w.bool(s.owned_by.is_some());
    if let Some((table, column, identity)) = s.owned_by {
        w.u32(table);
        w.len(column);
        w.bool(identity);
    }
    w.u32(s.values);
}

fn encode_table(w: &mut Writer, t: &Table) {
    w.u32(t.schema);
    w.str(&t.name);
    w.i64(t.heap.tree.0 as i64);
    w.bool(t.unlogged);
    w.len(t.options.len());
    t.options.iter().for_each(|o| w.str(o));
    w.len(t.columns.len());
    for c in &t.columns {
        w.str(&c.name);
        w.u32(c.ty.oid());
        w.u32(c.typmod as u32);
        w.bool(c.not_null);
        w.bool(c.dropped);
        w.u8(match c.identity {
            None => 0,
            Some(Identity::Always) => 1,
            Some(Identity::ByDefault) => 2,
        });
        w.opt_str(c.default.as_deref());
    }
    w.len(t.indexes.len());
    for i in &t.indexes {
        w.u32(i.oid);
        w.str(&i.name);
        w.i64(i.tree.0 as i64);
        w.u8(u8::from(i.has_unique_rows())
            | u8::from(i.primary) << 1
            | u8::from(i.nulls_not_distinct) << 2
            | u8::from(i.exclusion) << 3);
        w.u32(i.constraint.unwrap_or(0));
        w.len(i.columns.len());
        for c in &i.columns {
            w.len(c.column);
            w.u8(u8::from(c.desc)
                | u8::from(c.nulls_first) << 1
                | (c.class as u8) << 2
                | collations::in_flags(c) << 5);
        }
    }
    w.len(t.checks.len());
    for c in &t.checks {
        w.u32(c.oid);
        w.str(&c.name);
        w.str(&c.expr);
    }
    w.len(t.foreign_keys.len());
    for f in &t.foreign_keys {
        w.u32(f.oid);
        w.str(&f.name);
        w.u32(f.parent);
        w.u32(f.parent_index);
        w.u8(f.on_delete as u8);
        w.u8(f.on_update as u8);
        w.bool(f.match_full);
        w.len(f.columns.len());
        for (c, p) in f.columns.iter().zip(&f.parent_columns) {
            w.len(*c);
            w.len(*p);
        }
    }
    encode_columns(w, t);
    encode_index_extras(w, t);
    index_parts::encode_states(w, t);
    let special = special_constraints(t);
    if !special.is_empty() {
        w.part(part::CONSTRAINTS, |w| {
            w.len(special.len());
            for (oid, flags, columns) in &special {
                w.u32(*oid);
                w.u8(*flags);
                w.len(columns.len());
                columns.iter().for_each(|c| w.len(*c));
            }
        });
    }
    if t.marks.of_type != 0 {
        w.part(part::OF_TYPE, |w| w.u32(t.marks.of_type));
    }
    if t.marks.triggers_off {
        w.part(part::TRIGGERS_OFF, |_| ());
    }
    if (Marks { of_type: 0, triggers_off: false, ..t.marks }) != Marks::default() {
        w.part(part::MARKS, |w| {
            w.u32(t.marks.clustered_on.unwrap_or(0));
            w.u8(t.marks.replica_identity.letter().as_bytes()[0]);
            w.u32(match t.marks.replica_identity {
                ReplicaIdentity::Index(oid) => oid,
                _ => 0,
            });
        });
    }
    if !t.statistics.is_empty() {
        w.part(part::STATISTICS, |w| {
            w.len(t.statistics.len());
            for s in &t.statistics {
                w.u32(s.oid);
                w.str(&s.name);
                w.u8(s.kinds);
                w.len(s.columns.len());
                s.columns.iter().for_each(|c| w.len(*c));
                w.u32(s.target.map_or(u32::MAX, u32::from));
            }
        });
    }
    if let Some(m) = &t.materialized {
        w.part(part::MATERIALIZED, |w| {
            w.bool(m.is_populated);
            encode_query(w, &m.query);
        });
    }
    if !t.not_nulls.is_empty() {
        w.part(part::NOT_NULLS, |w| {
            w.len(t.not_nulls.len());
            for n in &t.not_nulls {
                w.u32(n.oid);
                w.str(&n.name);
                w.len(n.column);
                w.u8(bit(!n.validated, flag::NOT_VALID) | bit(n.no_inherit, flag::NO_INHERIT));
            }
        });
    }
}

fn encode_columns(w: &mut Writer, t: &Table) {
    columns::encode(w, t);
    let has_settings = |c: &ColumnDef| {
        let said_apart = ColumnSettings { collation: 0, dimensions: 0, ..c.settings.clone() };
        said_apart != ColumnSettings::default()
    };
    let set: Vec<_> = t.columns.iter().enumerate().filter(|(_, c)| has_settings(c)).collect();
    if !set.is_empty() {
        w.part(part::COLUMNS, |w| {
            w.len(set.len());
            for (n, c) in &set {
                w.len(*n);
                w.u32(c.settings.statistics.map_or(u32::MAX, u32::from));
                w.u8(c.settings.storage);
                w.u8(c.settings.compression);
                w.len(c.settings.options.len());
                c.settings.options.iter().for_each(|o| w.str(o));
            }
        });
    }
    let generated: Vec<_> =
        t.columns.iter().enumerate().filter_map(|(n, c)| c.generated.map(|g| (n, g))).collect();
    if !generated.is_empty() {
        w.part(part::GENERATED, |w| {
            w.len(generated.len());
            for (n, g) in &generated {
                w.len(*n);
                w.bool(*g == Generated::Stored);
            }
        });
    }
}

fn encode_index_extras(w: &mut Writer, t: &Table) {
    collations::encode(w, t);
    let odd: Vec<_> = t.indexes.iter().filter(|i| i.extra != IndexExtra::default()).collect();
    if odd.is_empty() {
        return;
    }
    w.part(part::INDEXES, |w| {
        w.len(odd.len());
        for i in &odd {
            w.u32(i.oid);
            w.u8(i.extra.method as u8);
            w.len(i.extra.include.len());
            i.extra.include.iter().for_each(|c| w.len(*c));
            w.len(i.extra.expressions.len());
            for e in &i.extra.expressions {
                w.str(&e.text);
                w.u32(e.ty.oid());
                w.str(&e.name);
            }
            w.opt_str(i.extra.predicate.as_deref());
            w.len(i.extra.options.len());
            i.extra.options.iter().for_each(|o| w.str(o));
        }
    });
    index_parts::encode_expression_collations(w, t);
    index_parts::encode_expression_targets(w, t);
    let reading: Vec<_> = odd.iter().filter(|i| !i.extra.reads.is_empty()).collect();
    if !reading.is_empty() {
        w.part(part::INDEX_READS, |w| {
            w.len(reading.len());
            for i in &reading {
                w.u32(i.oid);
                w.len(i.extra.reads.len());
                i.extra.reads.iter().for_each(|c| w.len(*c));
            }
        });
    }
}

fn decode_index_extra(
    r: &mut Reader<'_>,
    column: impl Fn(&mut Reader<'_>) -> Result<usize, SqlError>,
) -> Result<(u32, IndexExtra), SqlError> {
    let oid = r.u32()?;
    let method = match r.u8()? {
        0 => IndexMethod::Btree,
        1 => IndexMethod::Hash,
        2 => IndexMethod::Gin,
        3 => IndexMethod::Gist,
        4 => IndexMethod::Brin,
        _ => return Err(unknown()),
    };
    let include = r.list(|r| column(r))?;
    let expressions = r.list(|r| Ok(IndexExpression::new(r.str()?, r.ty()?, r.str()?)))?;
    let predicate = r.opt_str()?;
    let (options, reads) = (r.list(Reader::str)?, Vec::new());
    Ok((oid, IndexExtra { method, include, expressions, predicate, options, reads }))
}

fn unknown() -> SqlError {
    SqlError::new(SqlState::DATA_CORRUPTED, "catalog row is of an unknown version")
}

fn action(code: u8) -> Result<FkAction, SqlError> {
    Ok(match code {
        0 => FkAction::NoAction,
        1 => FkAction::Restrict,
        2 => FkAction::Cascade,
        3 => FkAction::SetNull,
        4 => FkAction::SetDefault,
        _ => return Err(corrupt()),
    })
}

/// Reads an object.
pub fn decode(kind: Kind, oid: u32, value: &[u8]) -> Result<Object, SqlError> {
    let mut r = Reader(value);
    if r.u8()? != VERSION {
        return Err(SqlError::new(SqlState::DATA_CORRUPTED, "catalog row is of an unknown version"));
    }
    Ok(match kind {
        Kind::Schema => Object::Schema(Arc::new(Schema { oid, name: r.str()? })),
        Kind::Sequence => Object::Sequence(Arc::new(decode_sequence(oid, &mut r)?)),
        Kind::Table => Object::Table(Arc::new(decode_table(oid, &mut r)?)),
        Kind::Extension => {
            let (schema, name) = (r.u32()?, r.str()?);
            Object::Extension(Arc::new(extension::Extension { oid, name, schema }))
        }
        Kind::Collation => Object::Collation(Arc::new(collations::decode_own(oid, &mut r)?)),
        Kind::Type => Object::Type(Arc::new(types::decode(oid, &mut r)?)),
        Kind::View => Object::View(Arc::new(decode_view(oid, &mut r)?)),
        Kind::Comments => {
            let texts = r.list(|r| Ok(((r.u32()?, r.i32()?), r.str()?)))?;
            Object::Comments(Arc::new(Comments { oid, texts: texts.into_iter().collect() }))
        }
        Kind::Database => Object::Database(Arc::new(DatabaseRow {
            oid,
            name: r.str()?,
            allow_connections: r.bool()?,
            is_template: r.bool()?,
            connection_limit: r.i32()?,
            locale: match r.0.is_empty() {
                true => DatabaseLocale::default(),
                false => DatabaseLocale {
                    provider: char::from(r.u8()?),
                    collate: r.str()?,
                    ctype: r.str()?,
                    locale: r.opt_str()?,
                },
            },
        })),
        Kind::LargeObjects => Object::LargeObjects(TreeId(r.i64()? as u64)),
        kind => Object::Security(security::decode(&mut r, kind, oid)?),
    })
}

fn decode_sequence(oid: u32, r: &mut Reader<'_>) -> Result<Sequence, SqlError> {
    Ok(Sequence {
        oid,
        schema: r.u32()?,
        name: r.str()?,
        ty: r.ty()?,
        start: r.i64()?,
        increment: r.i64()?,
        min: r.i64()?,
        max: r.i64()?,
        cache: r.i64()?,
        cycle: r.bool()?,
        owned_by: if r.bool()? { Some((r.u32()?, r.u32()? as usize, r.bool()?)) } else { None },
        // Rows of older versions end here.
        values: if r.0.is_empty() { oid } else { r.u32()? },
        shared: Arc::default(),
        lock: Arc::default(),
    })
}

/// The number of a column.
fn column(r: &mut Reader<'_>, width: usize) -> Result<usize, SqlError> {
    let c = r.u32()? as usize;
    if c < width { Ok(c) } else { Err(corrupt()) }
}

fn decode_column(r: &mut Reader<'_>) -> Result<ColumnDef, SqlError> {
    Ok(ColumnDef {
        name: r.str()?,
        ty: r.ty()?,
        typmod: r.i32()?,
        not_null: r.bool()?,
        dropped: r.bool()?,
        identity: match r.u8()? {
            1 => Some(Identity::Always),
            2 => Some(Identity::ByDefault),
            _ => None,
        },
        default: r.opt_str()?,
        generated: None,
        settings: ColumnSettings::default(),
        domain: None,
        since_version: 0,
    })
}

fn decode_index(r: &mut Reader<'_>, width: usize) -> Result<Arc<Index>, SqlError> {
    let oid = r.u32()?;
    let name = r.str()?;
    let tree = TreeId(r.i64()? as u64);
    let flags = r.u8()?;
    let constraint = r.u32()?;
    let columns = r.list(|r| {
        let column = match r.u32()? as usize {
            EXPRESSION => EXPRESSION,
            c if c < width => c,
            _ => return Err(corrupt()),
        };
        let flags = r.u8()?;
        let collation = collations::of_flags(flags >> 5)?;
        let class = match flags >> 2 & 7 {
            0 => OpClass::Own,
            1 => OpClass::TextPattern,
            2 => OpClass::VarcharPattern,
            3 => OpClass::BpcharPattern,
            4 => OpClass::JsonbPath,
            5 => OpClass::GinTrigrams,
            6 => OpClass::GistTrigrams,
            _ => return Err(corrupt()),
        };
        let (desc, nulls_first) = (flags & 1 != 0, flags & 2 != 0);
        Ok(IndexColumn { column, desc, nulls_first, class, collation, outdated: false })
    })?;
    Ok(Arc::new(Index {
        oid,
        name,
        tree,
        columns,
        unique: flags & 1 != 0,
        timing: Timing::default(),
        primary: flags & 2 != 0,
        nulls_not_distinct: flags & 4 != 0,
        exclusion: flags & 8 != 0,
        constraint: (constraint != 0).then_some(constraint),
        extra: IndexExtra::default(),
        state: IndexState::Valid,
        since_version: 0,
    }))
}

fn decode_foreign_key(r: &mut Reader<'_>, width: usize) -> Result<ForeignKey, SqlError> {
    let (oid, name, parent, parent_index) = (r.u32()?, r.str()?, r.u32()?, r.u32()?);
    let (on_delete, on_update, match_full) = (action(r.u8()?)?, action(r.u8()?)?, r.bool()?);
    let pairs = r.list(|r| Ok((column(r, width)?, r.u32()? as usize)))?;
    let (columns, parent_columns) = pairs.into_iter().unzip();
    Ok(ForeignKey {
        oid,
        name,
        columns,
        parent,
        parent_columns,
        parent_index,
        on_delete,
        on_update,
        match_full,
        timing: Timing::default(),
        standing: Standing::FULL,
        delete_columns: Vec::new(),
    })
}

fn decode_table(oid: u32, r: &mut Reader<'_>) -> Result<Table, SqlError> {
    let schema = r.u32()?;
    let name = r.str()?;
    let heap = Heap::new(TreeId(r.i64()? as u64));
    let unlogged = r.bool()?;
    let options = r.list(Reader::str)?;
    let columns = r.list(decode_column)?;
    let width = columns.len();
    let indexes = r.list(|r| decode_index(r, width))?;
    let checks = r.list(|r| {
        let (oid, name, expr) = (r.u32()?, r.str()?, r.str()?);
        Ok(Check { oid, name, expr, columns: Vec::new(), standing: Standing::FULL, no_inherit: false })
    })?;
    let foreign_keys = r.list(|r| decode_foreign_key(r, width))?;
    let types = columns.iter().map(|c| c.ty).collect();
    let mut table = Table {
        columns,
        types,
        indexes,
        checks,
        foreign_keys,
        options,
        unlogged,
        ..Table::new(oid, schema, name, heap)
    };
    while !r.0.is_empty() {
        let what = r.u8()?;
        let len = r.u32()? as usize;
        decode_part(&mut table, what, &mut Reader(r.take(len)?))?;
    }
    let lacks = |i: &Arc<Index>| {
        i.columns.iter().filter(|c| c.column == EXPRESSION).count() != i.extra.expressions.len()
    };
    if table.indexes.iter().any(lacks) {
        return Err(corrupt());
    }
    Ok(table)
}

/// A part that only some tables have.
fn decode_part(table: &mut Table, what: u8, r: &mut Reader<'_>) -> Result<(), SqlError> {
    let width = table.columns.len();
    let column = move |r: &mut Reader<'_>| column(r, width);
    match what {
        part::CONSTRAINTS => {
            for (oid, flags, columns) in r.list(|r| Ok((r.u32()?, r.u8()?, r.list(column)?)))? {
                set_special(table, oid, flags, columns);
            }
        }
        part::NOT_NULLS => {
            table.not_nulls = r.list(|r| {
                let (oid, name, column, flags) = (r.u32()?, r.str()?, column(r)?, r.u8()?);
                let (validated, no_inherit) = (flags & flag::NOT_VALID == 0, flags & flag::NO_INHERIT != 0);
                Ok(NotNull { oid, name, column, validated, no_inherit })
            })?;
        }
        part::COLUMNS => {
            let set = r.list(|r| {
                let (n, statistics) = (column(r)?, r.u32()?);
                let statistics = (statistics != u32::MAX).then_some(statistics as u16);
                let (storage, compression) = (r.u8()?, r.u8()?);
                Ok((
                    n,
                    ColumnSettings {
                        statistics,
                        storage,
                        compression,
                        options: r.list(Reader::str)?,
                        ..ColumnSettings::default()
                    },
                ))
            })?;
            for (n, settings) in set {
                let ColumnSettings { collation, dimensions, .. } = table.columns[n].settings;
                table.columns[n].settings = ColumnSettings { collation, dimensions, ..settings };
            }
        }
        kind @ (part::COLLATIONS | part::DOMAINS | part::DIMENSIONS) => {
            let figures = r.list(|r| Ok((column(r)?, r.u32()?)))?;
            columns::take(&mut table.columns, kind, figures);
        }
        part::GENERATED => {
            for (n, stored) in r.list(|r| Ok((column(r)?, r.bool()?)))? {
                let how = if stored { Generated::Stored } else { Generated::Virtual };
                table.columns[n].generated = Some(how);
            }
        }
        part::MISSING => columns::take_missing(table, r)?,
        part::MARKS => {
            let (clustered_on, letter, index) = (r.u32()?, r.u8()?, r.u32()?);
            table.marks = Marks {
                of_type: table.marks.of_type,
                triggers_off: table.marks.triggers_off,
                clustered_on: (clustered_on != 0).then_some(clustered_on),
                replica_identity: ReplicaIdentity::of(letter, index).ok_or_else(corrupt)?,
            };
        }
        part::OF_TYPE => table.marks.of_type = r.u32()?,
        part::TRIGGERS_OFF => table.marks.triggers_off = true,
        part::STATISTICS => {
            table.statistics = r.list(|r| {
                let (oid, name, kinds, columns, target) =
                    (r.u32()?, r.str()?, r.u8()?, r.list(column)?, r.u32()?);
                let target = (target != u32::MAX).then_some(target as u16);
                Ok(ExtendedStatistics { oid, name, kinds, columns, target })
            })?;
        }
        part::MATERIALIZED => {
            let is_populated = r.bool()?;
            let query = Arc::new(decode_query(r)?);
            table.materialized = Some(Materialized { query, is_populated });
        }
        part::INDEXES => {
            for (oid, extra) in r.list(|r| decode_index_extra(r, column))? {
                if let Some(i) = table.indexes.iter_mut().find(|i| i.oid == oid) {
                    Arc::make_mut(i).extra = extra;
                }
            }
        }
        part::INDEX_READS => {
            for (oid, reads) in r.list(|r| Ok((r.u32()?, r.list(|r| column(r))?)))? {
                if let Some(i) = table.indexes.iter_mut().find(|i| i.oid == oid) {
                    Arc::make_mut(i).extra.reads = reads;
                }
            }
        }
        part::INDEX_COLLATIONS => collations::decode(r, &mut table.indexes)?,
        part::EXPRESSION_COLLATIONS => {
            index_parts::decode_expression_collations(r, &mut table.indexes)?;
        }
        part::EXPRESSION_TARGETS => index_parts::decode_expression_targets(r, &mut table.indexes)?,
        part::INDEX_STATES => index_parts::decode_states(r, &mut table.indexes)?,
        _ => return Err(unknown()),
    }
    Ok(())
}
