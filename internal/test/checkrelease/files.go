package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checksums checks that checksums.txt names exactly the wanted files, and has their sums.
func checksums(dir string, want []string) error {
	text, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	if err != nil {
		return err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return fmt.Errorf("checksums.txt has the line %q, which is no checksum and a name", line)
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if is := sha256.Sum256(content); hex.EncodeToString(is[:]) != sum {
			return fmt.Errorf("%s has the checksum %x, and checksums.txt says %s", name, is, sum)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		return fmt.Errorf("checksums.txt names\n\t%s\nwant\n\t%s", strings.Join(names, "\n\t"), strings.Join(want, "\n\t"))
	}
	return nil
}

// modules checks that a list of modules in CycloneDX's format names the client libraries in their versions.
func modules(path string, clients map[string]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bom.BOMFormat != "CycloneDX" || bom.SpecVersion == "" {
		return fmt.Errorf("%s is of the format %q %q, want CycloneDX", path, bom.BOMFormat, bom.SpecVersion)
	}
	for _, client := range slices.Sorted(maps.Keys(clients)) {
		version, found := clients[client], false
		for _, c := range bom.Components {
			found = found || named(c.Name, client) && c.Version == version
		}
		if !found {
			return fmt.Errorf("%s does not name %s %s, which the program says that it has", path, client, version)
		}
	}
	return nil
}

// named reports whether a client library, by its module or by the end of its path, is a module.
func named(module, client string) bool {
	return module == client || strings.HasSuffix(module, "/"+client) || strings.Contains(module, "/"+client+"/v")
}
