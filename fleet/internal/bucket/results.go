package bucket

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

const (
	piecesDir = "pieces/"
	asideDir  = "aside/"
	resultDir = "result/"
)

// Kept is the name of a result in the bucket.
type Kept struct {
	Range explore.Range
	Hash  string
}

func span(r explore.Range) string { return fmt.Sprintf("%010d-%010d", r.First, r.End-1) }

// Name returns the name of the object.
func (k Kept) Name() string { return piecesDir + span(k.Range) + "." + k.Hash + ".json.gz" }

var (
	pieceName = regexp.MustCompile(`^pieces/(\d{10})-(\d{10})\.([0-9a-f]{64})\.json\.gz$`)
	asideName = regexp.MustCompile(`^aside/(\d{10})-(\d{10})\.json$`)
)

// spanOf returns the range of a name.
func spanOf(match []string) explore.Range {
	first, _ := strconv.Atoi(match[1]) // ten digits each
	last, _ := strconv.Atoi(match[2])
	return explore.Range{First: first, End: last + 1}
}

// Results lists the results, in the order of their ranges; a range may have several. Remains of a killed writer have other
// names.
func (b *Bucket) Results(ctx context.Context) (list []Kept, err error) {
	return b.results(ctx, piecesDir)
}

// Of lists the results of one range.
func (b *Bucket) Of(ctx context.Context, r explore.Range) ([]Kept, error) {
	return b.results(ctx, piecesDir+span(r)+".")
}

func (b *Bucket) results(ctx context.Context, prefix string) (list []Kept, err error) {
	err = b.names(ctx, prefix, func(key string) {
		if m := pieceName.FindStringSubmatch(key); m != nil {
			list = append(list, Kept{spanOf(m), m[3]})
		}
	})
	return list, err
}

// names lists names.
func (b *Bucket) names(ctx context.Context, prefix string, each func(string)) error {
	for it := b.blob.List(&blob.ListOptions{Prefix: prefix}); ; {
		o, err := it.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return b.explain("read", err)
		}
		each(o.Key)
	}
}

// Damaged is the error of an object that does not match its name.
type Damaged struct {
	Name string
	Err  error
}

// Error names the object.
func (d *Damaged) Error() string { return fmt.Sprintf("the object %s is no use: %v", d.Name, d.Err) }

// Unwrap returns the wrapped error.
func (d *Damaged) Unwrap() error { return d.Err }

// Read reads a result. The error is a *[Damaged] if it cannot be trusted, or is gone.
func (b *Bucket) Read(ctx context.Context, search string, k Kept) (*pieces.Result, pieces.Made, error) {
	data, err := b.blob.ReadAll(ctx, k.Name())
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return nil, pieces.Made{}, &Damaged{k.Name(), errors.New("it is not there any more")}
	case err != nil:
		return nil, pieces.Made{}, b.explain("read", err)
	}
	r, made, err := pieces.Decode(search, k.Hash, data)
	if err == nil && r.Range() != k.Range {
		err = fmt.Errorf("it has blocks %d to %d", r.First, r.End-1)
	}
	if err != nil {
		return nil, made, &Damaged{k.Name(), err}
	}
	return r, made, nil
}

// Write writes a result, unless the bucket has the same one.
func (b *Bucket) Write(ctx context.Context, r explore.Range, e pieces.Encoded) error {
	return b.explainWrite(b.write(ctx, Kept{r, e.Hash}.Name(), e.Data, false))
}

// write writes an object, completely or not at all. With fresh it refuses an existing one.
func (b *Bucket) write(ctx context.Context, name string, data []byte, fresh bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sum := md5.Sum(data)
	w, err := b.blob.NewWriter(ctx, name, &blob.WriterOptions{ContentType: contentType(name), ContentMD5: sum[:], IfNotExist: fresh})
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		stop() // so that Close gives it up: the library's WriteAll would leave the partial object under its name
		_ = w.Close()
		return err
	}
	return w.Close()
}

// contentType returns the type of an object. Without it the library would hold back the first bytes of an object to guess
// it, and write a small object in Close, where it can no longer be given up.
func contentType(name string) string {
	switch filepath.Ext(name) {
	case ".gz":
		return "application/gzip"
	case ".json":
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

func (b *Bucket) explainWrite(err error) error {
	if err == nil {
		return nil
	}
	return b.explain("write", err)
}

// Remove removes a damaged result. It may be gone.
func (b *Bucket) Remove(ctx context.Context, k Kept) error { return b.remove(ctx, k.Name()) }

func (b *Bucket) remove(ctx context.Context, name string) error {
	if err := b.blob.Delete(ctx, name); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return b.explain("write", err)
	}
	return nil
}

// Choose returns the index of the result of a range to use, and that of another one which differs from it for reasons
// other than the machine: then the search is not deterministic. All must have been read.
func Choose(list []*pieces.Result) (use int, differs int) {
	clean := slices.IndexFunc(list, func(r *pieces.Result) bool { return !r.Environment() })
	if clean < 0 {
		return 0, -1
	}
	for i, r := range list {
		if i != clean && !r.Environment() { // results of one hash are one object
			return clean, i
		}
	}
	return clean, -1
}

// Aside is a piece that was set aside because no worker finished it.
type Aside struct {
	First  int       `json:"first"`
	End    int       `json:"end"`
	Tries  int       `json:"tries"`
	Error  string    `json:"error"`
	Worker string    `json:"worker"`
	When   time.Time `json:"when"`
}

// Range returns its range.
func (a *Aside) Range() explore.Range { return explore.Range{First: a.First, End: a.End} }

// SetAside writes a piece that was set aside.
func (b *Bucket) SetAside(ctx context.Context, a Aside) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return b.explainWrite(b.write(ctx, asideDir+span(a.Range())+".json", append(raw, '\n'), false))
}

// Asides lists the pieces that were set aside.
func (b *Bucket) Asides(ctx context.Context) (list []Aside, err error) {
	var names []string
	err = b.names(ctx, asideDir, func(key string) {
		if asideName.MatchString(key) {
			names = append(names, key)
		}
	})
	for _, name := range names {
		raw, err := b.blob.ReadAll(ctx, name)
		if gcerrors.Code(err) == gcerrors.NotFound {
			continue
		}
		if err != nil {
			return nil, b.explain("read", err)
		}
		a := Aside{}
		if json.Unmarshal(raw, &a) != nil {
			r := spanOf(asideName.FindStringSubmatch(name))
			a = Aside{First: r.First, End: r.End, Error: "the object " + name + " is damaged"}
		}
		a.Error = pieces.Shown(a.Error)
		list = append(list, a)
	}
	return list, err
}

// TakeBack removes the mark of a piece that was set aside, so that it is tried again.
func (b *Bucket) TakeBack(ctx context.Context, r explore.Range) error {
	return b.remove(ctx, asideDir+span(r)+".json")
}

// Publish copies the files of the result, and the printed text, into the bucket.
func (b *Bucket) Publish(ctx context.Context, files []string, printed []byte) error {
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := b.write(ctx, resultDir+filepath.Base(path), data, false); err != nil {
			return b.explain("write", err)
		}
	}
	return b.explainWrite(b.write(ctx, "report.txt", printed, false))
}
