// bun with its own driver: tables, relations, MERGE, nested transactions, LISTEN, COPY, migrations.
package main

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/driver/pgdriver"
	bm "github.com/uptrace/bun/migrate"
)

type bunAuthor struct {
	bun.BaseModel `bun:"table:bn_authors,alias:a"`
	ID            int64          `bun:",pk,autoincrement"`
	Name          string         `bun:",unique,notnull,type:varchar(40)"`
	Data          map[string]any `bun:"type:jsonb"`
	Words         []string       `bun:",array"`
	At            time.Time      `bun:",nullzero,notnull,default:current_timestamp"`
	Gone          time.Time      `bun:",soft_delete,nullzero"`
	Posts         []*bunPost     `bun:"rel:has-many,join:id=author_id"`
}
type bunPost struct {
	bun.BaseModel `bun:"table:bn_posts,alias:p"`
	ID            string     `bun:"type:uuid,pk,default:gen_random_uuid()"`
	AuthorID      int64      `bun:",notnull"`
	Author        *bunAuthor `bun:"rel:belongs-to,join:author_id=id"`
	Price         float64    `bun:"type:numeric(10,2)"`
	Tags          []bunTag   `bun:"m2m:bn_post_tags,join:Post=Tag"`
}
type bunTag struct {
	bun.BaseModel `bun:"table:bn_tags"`
	Word          string `bun:",pk"`
}
type bunPostTag struct {
	bun.BaseModel `bun:"table:bn_post_tags"`
	PostID        string   `bun:"type:uuid,pk"`
	Post          *bunPost `bun:"rel:belongs-to,join:post_id=id"`
	Word          string   `bun:",pk"`
	Tag           *bunTag  `bun:"rel:belongs-to,join:word=word"`
}

func withBun() {
	run := func(name string, body func()) { check("bun", "github.com/uptrace/bun", name, body) }
	db := bun.NewDB(sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url()))), pgdialect.New())
	db.RegisterModel((*bunPostTag)(nil))
	run("tables, twice", func() {
		get(db.NewDropTable().Model((*bunPostTag)(nil)).IfExists().Cascade().Exec(ctx))
		for _, m := range []any{(*bunPost)(nil), (*bunTag)(nil), (*bunAuthor)(nil)} {
			get(db.NewDropTable().Model(m).IfExists().Cascade().Exec(ctx))
		}
		for range 2 {
			get(db.NewCreateTable().Model((*bunAuthor)(nil)).IfNotExists().Exec(ctx))
			get(db.NewCreateTable().Model((*bunPost)(nil)).IfNotExists().WithForeignKeys().Exec(ctx))
			get(db.NewCreateTable().Model((*bunTag)(nil)).IfNotExists().Exec(ctx))
			get(db.NewCreateTable().Model((*bunPostTag)(nil)).IfNotExists().WithForeignKeys().Exec(ctx))
			get(db.NewCreateIndex().Model((*bunAuthor)(nil)).Index("bn_i").Column("data").Using("gin").IfNotExists().Exec(ctx))
		}
	})
	run("write and read", func() {
		a := &bunAuthor{Name: "Ann", Data: map[string]any{"x": []any{1.0}}, Words: []string{"u", "v"}}
		b := &bunAuthor{Name: "Bob"}
		get(db.NewInsert().Model(&[]*bunAuthor{a, b}).Exec(ctx))
		ps := []*bunPost{{AuthorID: a.ID, Price: 1.5}, {AuthorID: a.ID, Price: 2}}
		get(db.NewInsert().Model(&ps).Returning("*").Exec(ctx))
		get(db.NewInsert().Model(&bunTag{Word: "t"}).Exec(ctx))
		get(db.NewInsert().Model(&bunPostTag{PostID: ps[0].ID, Word: "t"}).Exec(ctx))
		var as []bunAuthor
		must(db.NewSelect().Model(&as).Relation("Posts", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("price") }).Relation("Posts.Tags").Where("a.words @> ?", pgdialect.Array([]string{"u"})).Where("a.data @> ?", `{"x":[1]}`).Scan(ctx))
		equal([]any{as[0].Posts[0].Tags[0].Word, len(as[0].Posts)}, []any{"t", 2})
		get(db.NewInsert().Model(&bunAuthor{Name: "Ann", Words: []string{"n"}}).On("CONFLICT (name) DO UPDATE").Set("words = EXCLUDED.words").Returning("id").Exec(ctx))
		var sum float64
		must(db.NewSelect().With("x", db.NewSelect().Model((*bunPost)(nil)).ColumnExpr("sum(price) AS s")).Table("x").Column("s").Scan(ctx, &sum))
		equal(sum, 3.5)
		v := db.NewValues(&[]*bunPost{{ID: ps[0].ID, Price: 9, AuthorID: a.ID}})
		get(db.NewUpdate().With("_data", v).Model((*bunPost)(nil)).TableExpr("_data").Set("price = _data.price").Where("p.id = _data.id").Exec(ctx))
		get(db.NewUpdate().Model(&ps).Column("price").Bulk().Exec(ctx))
		get(db.NewMerge().Model(&bunAuthor{}).With("_data", db.NewValues(&[]*bunAuthor{{Name: "Bob"}, {Name: "Cid"}})).Using("_data").On("a.name = _data.name").WhenUpdate("MATCHED", func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("words = ?", pgdialect.Array([]string{"m"})) }).WhenInsert("NOT MATCHED", func(q *bun.InsertQuery) *bun.InsertQuery { return q.Value("name", "_data.name") }).Exec(ctx))
		get(db.NewDelete().Model(b).WherePK().Exec(ctx))
		equal(get(db.NewSelect().Model((*bunAuthor)(nil)).Count(ctx)), 2)
		must(db.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead}, func(ctx context.Context, tx bun.Tx) error {
			_ = tx.RunInTx(ctx, nil, func(ctx context.Context, t bun.Tx) error {
				get(t.NewInsert().Model(&bunTag{Word: "g"}).Exec(ctx))
				return errors.New("x")
			})
			var x bunAuthor
			return tx.NewSelect().Model(&x).For("UPDATE OF a SKIP LOCKED").Limit(1).Scan(ctx)
		}))
		equal(get(db.NewSelect().Model((*bunTag)(nil)).Count(ctx)), 1)
	})
	run("listen", func() {
		ln := pgdriver.NewListener(db)
		must(ln.Listen(ctx, "ch"))
		go func() { time.Sleep(300 * time.Millisecond); must(pgdriver.Notify(ctx, db, "ch", "hi")) }()
		_, p, err := ln.Receive(ctx)
		must(err)
		equal(p, "hi")
		must(ln.Close())
	})
	run("copy", func() {
		c := get(db.Conn(ctx))
		get(pgdriver.CopyFrom(ctx, c, strings.NewReader("a\nb\n"), "COPY bn_tags FROM STDIN"))
		var sb strings.Builder
		get(pgdriver.CopyTo(ctx, c, &sb, "COPY (SELECT word FROM bn_tags ORDER BY 1) TO STDOUT"))
		equal(sb.String(), "a\nb\nt\n")
		c.Close()
	})
	run("migrations", func() {
		ms := bm.NewMigrations()
		must(ms.Discover(fstest.MapFS{"20260101000000_a.tx.up.sql": {Data: []byte("create table bnm (a int);\n--bun:split\nalter table bnm add b text")}, "20260101000000_a.tx.down.sql": {Data: []byte("drop table bnm")}}))
		m := bm.NewMigrator(db, ms)
		must(m.Init(ctx))
		must(m.Lock(ctx))
		equal(len(get(m.Migrate(ctx)).Migrations), 1)
		equal(len(get(m.Migrate(ctx)).Migrations), 0)
		get(m.Rollback(ctx))
		must(m.Unlock(ctx))
	})
}
