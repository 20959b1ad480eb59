// Authors, their posts and friends, for ent, which makes a client of it.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"github.com/google/uuid"
)

type Author struct{ ent.Schema }

func (Author) Annotations() []schema.Annotation {
	t := true
	return []schema.Annotation{entsql.Annotation{Table: "en_authors", WithComments: &t, Checks: map[string]string{"en_pos": "age >= 0"}}, schema.Comment("authors")}
}
func (Author) Fields() []ent.Field {
	return []ent.Field{field.String("name").MaxLen(40).Unique().Comment("it's"), field.Int("age").Default(3).Annotations(entsql.Default("3")), field.JSON("data", map[string]any{}).Optional(), field.Strings("words").Optional(),
		field.Enum("kind").Values("a", "b").Default("a"), field.Time("at").Default(time.Now), field.Float("price").SchemaType(map[string]string{dialect.Postgres: "numeric(10,2)"}).Optional(), field.Bytes("bin").Optional()}
}
func (Author) Edges() []ent.Edge {
	return []ent.Edge{edge.To("posts", Post.Type).Annotations(entsql.OnDelete(entsql.Cascade)), edge.To("friends", Author.Type)}
}
func (Author) Indexes() []ent.Index {
	return []ent.Index{index.Fields("name", "age").Unique(), index.Fields("age").Annotations(entsql.DescColumns("age"), entsql.IndexWhere("age > 1")), index.Fields("data").Annotations(entsql.IndexTypes(map[string]string{dialect.Postgres: "GIN"})), index.Fields("kind").Annotations(entsql.IncludeColumns("price"))}
}

type Post struct{ ent.Schema }

func (Post) Fields() []ent.Field {
	return []ent.Field{field.UUID("id", uuid.UUID{}).Default(uuid.New), field.String("title").Optional()}
}
func (Post) Edges() []ent.Edge {
	return []ent.Edge{edge.From("author", Author.Type).Ref("posts").Unique().Required()}
}
