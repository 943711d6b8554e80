package sampletraces

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// Notes about sessions, by their events, with a store's nouns. Their subjects and records follow.
func note(event, noun, ends, ended string) *model.Note {
	own, heard := "{owner}'s "+noun, "The {serving} heard of {owner} last by {at}; it would end at {expires}."
	n := map[string]model.Note{
		"serving":    {Role: model.RoleServing},
		"leaderless": {Role: model.RoleAlone, Text: "{node} is the {serving} no longer"},

		"session-opened":  {Phase: model.PhaseBegins, Noun: noun, Title: own + " {subject}", Label: own + ", at {node}", Short: own, Line: heard},
		"session-renewed": {Phase: model.PhaseRenews, Line: heard},
		"session-moved":   {Phase: model.PhaseMoves, Label: "now at {node}", Short: "{node}", Text: "{owner} goes on with its " + noun + " at {node}"},
		"session-expired": {
			Phase: model.PhaseEnds, Bad: true, Title: "{owner} does not know that its " + noun + " has " + ended, Label: noun + " " + ends, Short: ends,
			Line: "It " + ended + " at {at}.", State: "has " + ended, Text: "{node}: " + own + " " + ends,
		},
		"session-refused": {
			Phase: model.PhaseTold, Title: "{owner} learns from {node} that its " + noun + " has " + ended, Label: "{owner} learns of it", Short: "learns",
			Line: "{node} told its client at {at}.", Text: "{owner} learns from {node}, {later} later, that its " + noun + " has " + ended,
		},

		"watch-set": {
			Place: model.PlaceStrip, Mark: model.MarkEye,
			Title: "{node}: {owner} watches {record}", Label: "{owner} watches {record}", Short: "{owner} watches", Text: "{owner} watches {record} at {node}",
		},
		"watch-fired": {
			Place: model.PlaceStrip, Mark: model.MarkBell, Detail: "deleted", Title: "{node}: tells {owner}: {record} was deleted",
			Label: "tells {owner}: {record} was deleted", Short: "tells {owner}", Text: "{node} tells {owner} that {record} was deleted",
		},

		"transaction-began": {Place: model.PlaceInside, Phase: model.PhaseBegins, Title: "{owner}'s transaction", Unended: "It is open when the run ends."},
		"transaction-rolled-back": {
			Place: model.PlaceInside, Phase: model.PhaseEnds, Bad: true, Label: "transaction rolled back", Short: "rolled back", Line: "It is rolled back.",
		},

		"wait-began":   {Place: model.PlaceRecord, Phase: model.PhaseBegins, Title: "{owner} waits for {held}", Unended: "It still waits when the run ends."},
		"wait-granted": {Place: model.PlaceRecord, Phase: model.PhaseEnds, Line: "Then it has it."},
		"wait-refused": {
			Place: model.PlaceRecord, Phase: model.PhaseEnds, Bad: true, Label: "deadlock", Line: "It is refused: those who wait would wait for each other for ever.",
			Text: "{node} refuses {owner}'s request: {refs} would wait for each other for ever",
		},
	}[event]
	n.Event = event
	if strings.HasPrefix(event, "session-") {
		n.Place = model.PlaceLane
	}
	return &n
}

// Role returns an observation that a server has a role from then on.
func Role(node string, r model.Role, epoch int64) model.Observation {
	event := map[model.Role]string{model.RoleServing: "serving", model.RoleAlone: "leaderless"}[r]
	return model.Observation{Node: node, Kind: model.Noted, Epoch: epoch, Note: note(event, "", "", "")}
}
