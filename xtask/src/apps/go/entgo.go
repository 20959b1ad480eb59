// ent, whose Atlas compares the schema with what there is: a second migration does nothing; relations, JSON, groups, transactions.
package main

import (
	"checks/ent"
	"checks/ent/author"
	"checks/ent/post"
	"database/sql"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/dialect/sql/sqljson"
)

func withEnt() {
	db := get(sql.Open("pgx", url()))
	c := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.Postgres, db)))
	check("ent", "entgo.io/ent", "migrate, twice", func() {
		get(db.Exec("drop table if exists author_friends, posts, en_authors cascade"))
		must(c.Schema.Create(ctx, schema.WithDropColumn(true), schema.WithDropIndex(true)))
		var sb strings.Builder
		must(c.Schema.WriteTo(ctx, &sb, schema.WithDropColumn(true), schema.WithDropIndex(true)))
		equal(sb.String(), "")
		must(c.Schema.Create(ctx))
	})
	check("ent", "entgo.io/ent", "write and read", func() {
		a := c.Author.Create().SetName("Ann").SetData(map[string]any{"x": []int{1}, "k": map[string]any{"v": 2}}).SetWords([]string{"u"}).SetPrice(2.25).SaveX(ctx)
		b := c.Author.Create().SetName("Bob").AddFriends(a).SaveX(ctx)
		c.Post.CreateBulk(c.Post.Create().SetTitle("p").SetAuthor(a), c.Post.Create().SetAuthor(a)).SaveX(ctx)
		equal(c.Author.Query().Where(author.HasPostsWith(post.Title("p"))).WithPosts().WithFriends().OnlyX(ctx).Edges.Posts != nil, true)
		equal(c.Author.Query().Where(func(s *entsql.Selector) { s.Where(sqljson.ValueEQ(author.FieldData, 2, sqljson.Path("k", "v"))) }).CountX(ctx), 1)
		equal(c.Author.Query().Where(func(s *entsql.Selector) {
			s.Where(sqljson.ValueContains(author.FieldData, 1, sqljson.Path("x")))
			s.Where(sqljson.LenEQ(author.FieldWords, 1))
		}).CountX(ctx), 1)
		_, err := c.Author.Create().SetName("Ann").Save(ctx)
		equal(ent.IsConstraintError(err), true)
		var v []struct {
			Kind  string
			Count int
			Sum   float64
		}
		c.Author.Query().GroupBy(author.FieldKind).Aggregate(ent.Count(), ent.Sum(author.FieldAge)).ScanX(ctx, &v)
		equal(v[0].Sum, 6.0)
		tx := get(c.Tx(ctx))
		tx.Author.UpdateOne(b).AddAge(2).AppendWords([]string{"z"}).SaveX(ctx)
		must(tx.Commit())
		equal(c.Author.Query().Order(author.ByPostsCount(entsql.OrderDesc())).FirstX(ctx).Name, "Ann")
		equal(c.Author.Delete().Where(author.Name("Ann")).ExecX(ctx), 1)
		equal(c.Post.Query().CountX(ctx), 0)
	})
}
