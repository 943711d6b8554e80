package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file://
	"gocloud.dev/gcerrors"

	"github.com/lockpick-dev/lockpick/internal/command"
)

// Bucket is an open bucket.
type Bucket struct {
	blob *blob.Bucket
	url  string
}

// URL returns a bucket's URL for the user's text: a URL of gocloud.dev/blob, or the path of a directory.
func URL(written string) (string, error) {
	if strings.Contains(written, "://") {
		u, err := url.Parse(written)
		if err != nil {
			return "", command.Usagef("--bucket %s: %w", written, err)
		}
		if u.Scheme != "file" {
			return written, nil
		}
		q := u.Query()
		for _, set := range []string{"create_dir=true", "no_tmp_dir=true", "metadata=skip"} {
			name, value, _ := strings.Cut(set, "=")
			if !q.Has(name) {
				q.Set(name, value)
			}
		}
		u.RawQuery = q.Encode()
		return u.String(), nil
	}
	if written == "" {
		return "", command.Usagef("--bucket: want a directory, or a URL such as s3://NAME?prefix=nightly/")
	}
	path, err := filepath.Abs(written)
	if err != nil {
		return "", err
	}
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return URL((&url.URL{Scheme: "file", Path: path}).String())
}

// Open opens the bucket of a URL, and checks that it exists.
func Open(ctx context.Context, address string) (*Bucket, error) {
	scheme, _, _ := strings.Cut(address, "://")
	if mux := blob.DefaultURLMux(); !mux.ValidBucketScheme(scheme) {
		return nil, command.Usagef("the bucket %s: this program has no buckets of %s://, but of %s://; those of clouds come with the package github.com/lockpick-dev/lockpick/fleet/clouds", Short(address), scheme, strings.Join(mux.BucketSchemes(), "://, "))
	}
	b, err := blob.OpenBucket(ctx, address)
	if err != nil {
		return nil, command.Usagef("the bucket %s cannot be opened: %w; want file:///DIR, s3://NAME, gs://NAME or azblob://NAME, with ?prefix=DIR/ for a part of it", Short(address), err)
	}
	bucket := &Bucket{b, address}
	if _, err := b.Exists(ctx, manifestName); err != nil {
		return nil, errors.Join(bucket.explain("read", err), b.Close())
	}
	return bucket, nil
}

// Close closes the bucket.
func (b *Bucket) Close() error { return b.blob.Close() }

// URL returns its URL.
func (b *Bucket) URL() string { return b.url }

// Short returns a URL as a user would write it.
func Short(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if u.Scheme == "file" {
		return u.Path
	}
	u.User = nil
	return u.String()
}

// Local returns the directory of a bucket that is one, empty for others.
func Local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

func (b *Bucket) String() string { return Short(b.url) }

// explain adds to an error what was asked and what to do.
func (b *Bucket) explain(verb string, err error) error {
	what := ""
	var path *fs.PathError
	if verb == "write" && errors.As(err, &path) { // the object does not matter: the next one fails as well
		err = path.Err
	}
	switch code := gcerrors.Code(err); {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		what = "make room there"
	case errors.Is(err, syscall.EFBIG):
		what = "raise the limit of this machine on the sizes of files (ulimit -f)"
	case code == gcerrors.PermissionDenied, errors.Is(err, os.ErrPermission), denied(err):
		what = "check the credentials: those of the provider's own tools are used, from the environment or its files"
	case code == gcerrors.NotFound:
		what = "create the bucket, or name another"
	}
	if what != "" {
		what = "; " + what
	}
	return fmt.Errorf("the bucket %s cannot be %s: %w%s", b, map[string]string{"read": "read", "write": "written"}[verb], err, what)
}

// denied reports whether a provider refused the credentials; gocloud has no code for some of these refusals.
func denied(err error) bool {
	for _, word := range []string{"StatusCode: 401", "StatusCode: 403", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "no EC2 IMDS role", "failed to refresh cached credentials", "could not find default credentials", "DefaultAzureCredential"} {
		if strings.Contains(err.Error(), word) {
			return true
		}
	}
	return false
}
