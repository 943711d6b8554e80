package clouds

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// s3 is the URL of a bucket of a local server that speaks S3.
func s3(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	return "s3://fleet?region=us-east-1&use_path_style=true&prefix=nightly/&endpoint=" + server.URL
}

// TestBuckets: a bucket of S3 and a directory keep a search alike.
func TestBuckets(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("fleet"); err != nil {
		t.Fatal(err)
	}
	remote := s3(t, gofakes3.New(backend).Server())
	local, err := bucket.URL(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, url := range map[string]string{"S3": remote, "a directory": local} {
		t.Run(name, func(t *testing.T) { keeps(t, url) })
	}
}

func keeps(t *testing.T, url string) {
	ctx := t.Context()
	b, err := bucket.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	want := pieces.Manifest{Schema: 1, Identity: []byte(`{"a":1}`), Title: "a search", Plan: pieces.NewPlan(9, 4)}
	for range 2 {
		m, err := b.Begin(ctx, want)
		if err != nil || !m.Same(&want) {
			t.Fatal(m, err)
		}
	}
	other := want
	other.Identity = []byte(`{"a":2}`)
	if m, err := b.Begin(ctx, other); err != nil || !m.Same(&want) {
		t.Errorf("another search took the place of the first: %v, %v", m, err)
	}
	search := want.Search()
	var names []bucket.Kept
	for _, n := range []int{2, 0, 1} {
		builder := pieces.NewBuilder(want.Plan, want.Plan.Range(n))
		for block := want.Plan.Range(n).First; block < want.Plan.Range(n).End; block++ {
			builder.Add(block, explore.Tally{Schedules: block, Classes: explore.Classes{uint64(block): {}}})
		}
		r, err := builder.Result(false)
		if err != nil {
			t.Fatal(err)
		}
		e, err := pieces.Encode(search, r, pieces.Made{Worker: "w", Tries: 1})
		if err == nil {
			err = errors.Join(b.Write(ctx, r.Range(), e), b.Write(ctx, r.Range(), e)) // twice is once
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, bucket.Kept{Range: r.Range(), Hash: e.Hash})
	}
	list, err := b.Results(ctx)
	if err != nil || len(list) != 3 || list[0] != names[1] || list[2] != names[0] {
		t.Fatalf("%v, %v; want %v", list, err, names)
	}
	if r, _, err := b.Read(ctx, search, list[1]); err != nil || r.First != 4 || r.Blocks[6].Schedules != 6 {
		t.Errorf("%+v, %v", r, err)
	}
	var damaged *bucket.Damaged
	if _, _, err := b.Read(ctx, other.Search(), list[1]); !errors.As(err, &damaged) {
		t.Errorf("the result of another search: %v", err)
	}
	if err := b.Remove(ctx, list[1]); err != nil {
		t.Error(err)
	}
	if _, _, err := b.Read(ctx, search, list[1]); !errors.As(err, &damaged) {
		t.Errorf("a result that is gone: %v", err)
	}
	if of, err := b.Of(ctx, list[1].Range); err != nil || len(of) != 0 {
		t.Errorf("%v, %v", of, err)
	}
	aside := bucket.Aside{First: 4, End: 8, Tries: 3, Error: "killed"}
	if err := b.SetAside(ctx, aside); err != nil {
		t.Error(err)
	}
	if asides, err := b.Asides(ctx); err != nil || len(asides) != 1 || asides[0].Error != "killed" {
		t.Errorf("%v, %v", asides, err)
	}
	if err := b.TakeBack(ctx, aside.Range()); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "x.search.json")
	if err := os.WriteFile(path, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.Publish(ctx, []string{path}, []byte("result\n")); err != nil {
		t.Error(err)
	}
}

// TestRefusals: a bucket that there is not, and credentials that are refused, are told with what to do.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.Handler
		says    string
	}{
		{"no bucket", gofakes3.New(s3mem.New()).Server(), "create the bucket, or name another"},
		{"no credentials", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`<Error><Code>InvalidAccessKeyId</Code><Message>The key does not exist.</Message></Error>`))
		}), "check the credentials"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := bucket.Open(t.Context(), s3(t, test.handler))
			if err == nil { // a missing object and a missing bucket are one to it
				_, err = b.Begin(t.Context(), pieces.Manifest{Schema: 1, Identity: []byte("{}"), Plan: pieces.NewPlan(1, 0)})
				b.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "s3://fleet") {
				t.Errorf("%v does not say %q", err, test.says)
			}
		})
	}
}
