package bucket

import (
	"context"
	"encoding/json"
	"fmt"

	"gocloud.dev/gcerrors"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
)

const (
	manifestName   = "search.json"
	manifestSchema = 1
)

// NewManifest returns the manifest of a search.
func NewManifest(s command.Search, p pieces.Plan, build string) pieces.Manifest {
	return pieces.Manifest{Schema: manifestSchema, Identity: s.Identity(), Title: s.Title(), Plan: p, Build: build}
}

// Manifest reads the manifest, nil if there is none.
func (b *Bucket) Manifest(ctx context.Context) (*pieces.Manifest, error) {
	raw, err := b.blob.ReadAll(ctx, manifestName)
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return nil, nil
	case err != nil:
		return nil, b.explain("read", err)
	}
	var m pieces.Manifest
	if err := json.Unmarshal(raw, &m); err != nil || m.Schema != manifestSchema || !m.Plan.Valid() || m.Plan.Blocks < 1 {
		return nil, command.Usagef("the object %s of the bucket %s is damaged, or of a newer Lockpick: name another bucket, or remove it to search anew", manifestName, b)
	}
	return &m, nil
}

// Begin writes the manifest, unless there is one, and returns the one in the bucket.
func (b *Bucket) Begin(ctx context.Context, m pieces.Manifest) (*pieces.Manifest, error) {
	if there, err := b.Manifest(ctx); there != nil || err != nil {
		return there, err
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	err = b.write(ctx, manifestName, append(raw, '\n'), true)
	if err != nil && gcerrors.Code(err) != gcerrors.FailedPrecondition {
		return nil, b.explain("write", err)
	}
	there, err := b.Manifest(ctx)
	if err == nil && there == nil {
		err = fmt.Errorf("the bucket %s does not have the object %s, which has just been written", b, manifestName)
	}
	return there, err
}
