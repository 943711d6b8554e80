package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
)

// platforms are those of .goreleaser.yaml.
var platforms = []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64", "windows_arm64"}

func main() {
	version := flag.String("version", "", "the version in the names of files")
	commit := flag.String("commit", "", "the commit that was built")
	stores := flag.String("stores", "", "the stores whose locks the program has, in the order of their names, with commas")
	flag.Parse()
	if *version == "" || *commit == "" || *stores == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: checkrelease -version VERSION -commit COMMIT -stores STORE,... DIRECTORY")
		os.Exit(2)
	}
	if err := check(flag.Arg(0), *version, wanted{*commit, *stores}); err != nil {
		fmt.Fprintln(os.Stderr, "checkrelease:", err)
		os.Exit(1)
	}
}

// wanted is the expected build.
type wanted struct{ commit, stores string }

// check checks a directory, and prints what it has found.
func check(dir, version string, w wanted) error {
	var want []string
	for _, p := range platforms {
		want = append(want, archive(version, p), document(version, p))
	}
	slices.Sort(want)
	if err := checksums(dir, want); err != nil {
		return err
	}
	fmt.Printf("%d files have the checksums of checksums.txt.\n", len(want))
	text, err := ask(filepath.Join(dir, archive(version, runtime.GOOS+"_"+runtime.GOARCH)))
	if err != nil {
		return err
	}
	p, err := readProgram(text, w)
	if err != nil {
		return fmt.Errorf("simrun version --json of this platform: %w", err)
	}
	fmt.Printf("The program of %s runs: lockpick %s, commit %s, %s.\n", p.Platform, p.Lockpick, p.Commit, strings.Join(p.Stores, ", "))
	for _, platform := range platforms {
		if err := modules(filepath.Join(dir, document(version, platform)), p.Clients); err != nil {
			return err
		}
	}
	fmt.Printf("%d lists of modules name its %d client libraries.\n", len(platforms), len(p.Clients))
	return nil
}

func archive(version, platform string) string {
	ext := ".tar.gz"
	if strings.HasPrefix(platform, "windows") {
		ext = ".zip"
	}
	return "simrun_" + version + "_" + platform + ext
}

func document(version, platform string) string {
	return "simrun_" + version + "_" + platform + ".cdx.json"
}

// ask unpacks an archive and asks its program for its version. Windows' tar unpacks zip as well.
func ask(path string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "checkrelease")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("tar", "-xf", path, "-C", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s cannot be unpacked: %w: %s", path, err, out)
	}
	text, err := exec.Command(filepath.Join(dir, "simrun"), "version", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("the program of %s does not say its version: %w", path, err)
	}
	return text, nil
}

// program is a program's description of itself.
type program struct {
	Lockpick, Commit, Platform string
	Modified                   bool
	Stores                     []string
	Clients                    map[string]string
}

// readProgram reads the description and compares it with the expected build.
func readProgram(text []byte, w wanted) (p program, err error) {
	if err := json.Unmarshal(text, &p); err != nil {
		return p, err
	}
	slices.Sort(p.Stores)
	var wrong []error
	for _, c := range []struct{ what, is, want string }{
		{"lockpick", p.Lockpick, cell.Version},
		{"commit", p.Commit, w.commit},
		{"platform", p.Platform, runtime.GOOS + "/" + runtime.GOARCH},
		{"stores", strings.Join(p.Stores, ","), w.stores},
		{"modified", fmt.Sprint(p.Modified), "false"},
	} {
		if c.is != c.want {
			wrong = append(wrong, fmt.Errorf("%s is %q, want %q", c.what, c.is, c.want))
		}
	}
	if len(p.Clients) == 0 {
		wrong = append(wrong, errors.New("it names no client library"))
	}
	return p, errors.Join(wrong...)
}
