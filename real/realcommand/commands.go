package realcommand

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Commands returns confirm, attach and export, for simrun.Commands. Servers are the real servers of confirm and attach, by the IDs of
// stores. Sources has the source code of Lockpick's locks, by the paths of their modules, for export.
func Commands(servers confirm.Stores, sources map[string]fs.FS) []command.Command {
	attaches := &attachCmd{servers: servers}
	return []command.Command{
		{Name: "confirm", Help: "Make recorded counterexamples happen on real servers.", Grammar: &confirmCmd{servers: servers}},
		{Name: "attach", Help: "Search a lock in processes of any language, on real servers.", Grammar: attaches, Attached: attaches.again},
		{Name: "export", Help: "Write a Go test that shows a recorded counterexample on real servers, without Lockpick.", Grammar: &exportCmd{sources: sources}},
	}
}
