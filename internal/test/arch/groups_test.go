package arch

import (
	"slices"
	"strings"
	"testing"
)

// ground and house are the two halves of a package: house stands on ground.
func ground() Group { return Group{Name: "ground", Files: []string{"soil*.go", "rock.go"}} }
func house() Group {
	return Group{Name: "house", Files: []string{"wall.go"}, Below: []string{"ground"}}
}

// soil is a file of the ground.
const soil = "package room\n\ntype Soil struct{ Wet bool }\n\nfunc (s *Soil) dig() {}\n\nconst depth = 3\n"

// TestGroups breaks the rule of groups in each way, and keeps to it in ways that look
// similar.
func TestGroups(t *testing.T) {
	tests := []struct {
		name       string
		rock, wall string // the rest of these files
		want       []string
	}{
		{name: "downwards", rock: "var hard Soil", wall: "var w = Soil{Wet: depth > 2}\n\nfunc build(s *Soil) { s.dig() }"},
		{name: "a function", rock: "func roll() { build() }", wall: "func build() {}",
			want: []string{"room/rock.go:3: groups: rock.go (ground) uses build, which wall.go (house) declares; " +
				"ground uses no other group: move one of the two, or let the lower group declare an interface that the upper one implements"}},
		{name: "once for each declaration", rock: "var a, b, c = height, width, height", wall: "const height, width = 1, 2",
			want: []string{"rock.go (ground) uses height, which wall.go (house) declares", "rock.go (ground) uses width, which wall.go (house) declares"}},
		{name: "a type in a field", rock: "type rock struct{ under *Wall }", wall: "type Wall struct{}",
			want: []string{"uses Wall, which"}},
		{name: "a method on a type below", rock: "func roll(s *Soil) { s.plough() }", wall: "func (s *Soil) plough() {}",
			want: []string{"uses Soil.plough, which"}},
		{name: "a method of a generic type", rock: "func roll(s pile[int]) { s.top() }\n\ntype pile[T any] struct{}", wall: "func (s pile[T]) top() {}",
			want: []string{"uses pile.top, which"}},
		{name: "a method on a type below, as a value", rock: "var f = (*Soil).plough", wall: "func (s *Soil) plough() {}",
			want: []string{"uses Soil.plough, which"}},
		{name: "a field", rock: "func roll() { println(room().wide) }\n\nvar room = func() (r struct{ wide int }) { return }", wall: "type Wall struct{ wide int }"},
		{name: "a field by way of an alias", rock: "type any2 = Wall\n\nfunc roll(w *any2) { w.wide++ }", wall: "type Wall struct{ wide int }",
			want: []string{"uses Wall, which", "uses field wide, which"}},
		{name: "a method of an interface", rock: "func roll(o opener) { o.open() }", wall: "type opener interface{ open() }",
			want: []string{"uses opener, which", "uses opener.open, which"}},
		{name: "an interface of one's own", rock: "type opener interface{ open() }\n\nfunc roll(o opener) { o.open() }", wall: "type Wall struct{}\n\nfunc (Wall) open() {}\n\nfunc try() { roll(Wall{}) }"},
		{name: "the same name in another scope", rock: "func roll(height int) int { return height }", wall: "const height = 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			layout := []Unit{{Dir: "room", Groups: []Group{ground(), house()}}}
			found := problems(t, layout, "room/soil.go", soil, "room/rock.go", "package room\n\n"+test.rock+"\n", "room/wall.go", "package room\n\n"+test.wall+"\n")
			compare(t, found, test.want)
		})
	}
}

// TestGroupApart: the files of a group that are apart use no more of each other than constants.
func TestGroupApart(t *testing.T) {
	for _, apart := range []bool{true, false} {
		layout := []Unit{{Dir: "room", Groups: []Group{{Name: "ground", Files: []string{"soil.go", "rock.go"}, Apart: apart}, house()}}}
		found := problems(t, layout, "room/soil.go", soil, "room/rock.go", "package room\n\nvar deep = depth\n\nfunc roll(s *Soil) { s.dig() }\n\nfunc rest() { roll(nil) }\n", "room/wall.go", "package room\n\nfunc build() { roll(&Soil{}) }\n")
		var want []string
		if apart {
			want = []string{"room/rock.go:5: groups: rock.go uses Soil, which soil.go declares, a file of the same group", "rock.go uses Soil.dig, which soil.go declares"}
		}
		compare(t, found, want)
	}
}

// TestGroupList: every file is in exactly one group, and the list has no mistakes.
func TestGroupList(t *testing.T) {
	files := []string{
		"room/soil.go", soil, "room/rock.go", "package room\n", "room/wall.go", "package room\n",
		"room/soil_test.go", "package room\n\nvar _ = Soil{}\n", "room/attic/a.go", "package attic\n",
	}
	tests := []struct {
		name   string
		groups []Group
		want   []string
	}{
		{"sound", []Group{ground(), house()}, nil},
		{"none", nil, nil},
		{"no group", []Group{ground()}, []string{"room/wall.go:1: groups: the file is in no group of room; name it in one"}},
		{"two groups", []Group{ground(), house(), {Name: "garden", Files: []string{"soil.go"}}}, []string{"room/soil.go:1: groups: the file is in two groups, ground and garden"}},
		{"a file that is not there", []Group{ground(), house(), {Name: "garden", Files: []string{"tree.go"}}}, []string{"the groups of room: tree.go of garden is no file"}},
		{"a test file", []Group{ground(), house(), {Name: "garden", Files: []string{"soil_test.go"}}}, []string{"the groups of room: soil_test.go of garden is no file"}},
		{"a group above", []Group{house(), ground()}, []string{"the groups of room: house may use ground, which is no group before it"}},
		{"two of a name", []Group{ground(), house(), {Name: "house"}}, []string{"the groups of room: two are called house"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compare(t, problems(t, []Unit{{Dir: "room", Groups: test.groups}}, files...), test.want)
		})
	}
}

// TestStacked: each group may use all before it.
func TestStacked(t *testing.T) {
	got := Stacked(Group{Name: "a"}, Group{Name: "b"}, Group{Name: "c"})
	if len(got[0].Below) > 0 || !slices.Equal(got[1].Below, []string{"a"}) || !slices.Equal(got[2].Below, []string{"a", "b"}) {
		t.Errorf("got %+v", got)
	}
}

// compare compares problems with parts of their texts.
func compare(t *testing.T, found []Problem, want []string) {
	t.Helper()
	if len(found) != len(want) {
		t.Fatalf("got %v, want %d problems", found, len(want))
	}
	for i, p := range found {
		if !strings.Contains(p.String(), want[i]) {
			t.Errorf("got  %s\nwant %s", p, want[i])
		}
	}
}
