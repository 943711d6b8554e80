# `make` or `make help` lists the targets. Variables: GO, TESTFLAGS, LABFLAGS, LONG, RUNS, PACKAGES, MODULE, BENCHTIME, FUZZTIME, MATRIXFLAGS, DOCTORFLAGS, CHROMIUM, PLAYGROUND, QUICK.

GO        ?= go
BENCHTIME ?= 1s
FUZZTIME  ?= 5s
TESTFLAGS ?=
MATRIXFLAGS ?=
DOCTORFLAGS ?=
LABFLAGS ?=
LONG ?= 1
CHROMIUM ?=
export CHROMIUM
PACKAGES ?= ./...
MODULE ?= .

# The tools have a go.mod of their own, so that Lockpick's stays small.
LINT = $(GO) tool -modfile=tools/go.mod golangci-lint

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/simrun, with all stores, and bin/recheck, which verifies certificates of searches
	cd lab && $(GO) build -ldflags='-X testing.testBinary=1' -o ../bin/ ./cmd/simrun ./cmd/recheck

.PHONY: release-snapshot
release-snapshot: ## build simrun for all platforms into dist/ as a release does, and check it (the first run builds the tools; REPEAT=1 builds twice and compares)
	@GO="$(GO)" tools/release.sh snapshot

# Many tests wait for a real Redis or for a watchdog, so more packages are tested side
# by side than there are processors. Memory is collected less often, as in workers.
.PHONY: test
test: ## run the tests with small searches (two minutes)
	GOGC=400 $(GO) test -short -p 6 $(TESTFLAGS) ./...

# The tests that call slowtest.SkipIfShort.
.PHONY: test-slow
test-slow: ## run the tests that `make test` leaves out because they take seconds each (ten minutes)
	@GO="$(GO)" tools/slow-tests.sh $(TESTFLAGS)

# LONG= leaves out the largest searches. CI runs a part of the rest.
.PHONY: test-long
test-long: ## run the tests with full searches, and judge 300,000 histories of each kind by monitors and porcupine (hours; LONG= leaves out the largest, MODULE=mysql is about that module)
	cd $(MODULE) && LOCKPICK_LONG=$(LONG) $(GO) test -timeout 4h $(TESTFLAGS) $(PACKAGES)

# The findings of the track record need all schedules. Adapters with heavy
# dependencies are modules of their own as well.
EXAMPLES ?= $(sort $(shell find examples lock bench etcd lab real zookeeper mysql postgres kube s3 playground -name go.mod -not -path 'kube/realkube/*'))
.PHONY: examples
examples: ## test the examples and adapters, each a module of its own, and the track record (EXAMPLES= names go.mod files)
	@printf '%s\n' $(EXAMPLES) | GO="$(GO)" xargs -P 2 -I FILE tools/example.sh FILE $(TESTFLAGS)

# The server is k8s.io/apiserver, which takes minutes to compile.
.PHONY: kube-fidelity
kube-fidelity: ## build bin/realkube, an API server of Kubernetes with leases, and compare the simulated one with it (needs etcd; minutes, the first time)
	cd kube/realkube && $(GO) vet . && $(GO) build -o ../../bin/realkube .
	cd kube && LOCKPICK_APISERVER=$(CURDIR)/bin/realkube $(GO) test -count 1 -v -run '^TestFidelity' $(TESTFLAGS) ./simkube
	cd examples/trackrecord/client-go-v0.37.2 && LOCKPICK_APISERVER=$(CURDIR)/bin/realkube $(GO) test -count 1 -v -run '^TestReleaseOnARealServer' .

# Each failure must be found in nineteen of twenty seeds, and none after its repair.
SEEDS ?= 20
RECORDS ?= $(dir $(shell grep -rl --include='*_test.go' '^func TestTrackRecord\b' examples etcd kube | sort))
.PHONY: track-record
track-record: ## count in how many of SEEDS seeds each test of the track record passes, and fail if that is too few (an hour; RECORDS= names directories)
	@GO="$(GO)" tools/track-record.sh $(SEEDS) $(RECORDS)

# Their modules ask for versions of libraries that have a failure.
.PHONY: reports
reports: ## make the reports that docs/reports lists into bin/reports, and run their tests: each must fail, and pass with the version that repaired it (needs the servers; REPORTS= names some)
	@GO="$(GO)" tools/reports.sh $(REPORTS)

.PHONY: fleet-slurm
fleet-slurm: ## run the example of Slurm on a Slurm of one node, with a shard that is requeued in mid-run (a minute; needs slurm-wlm, munge and root)
	cd examples/fleet/check && $(GO) test -count=1 -v -run '^TestSlurm$$' $(TESTFLAGS) . -slurm

# Package clouds and the program compile the clients of three clouds: some minutes, the first time.
.PHONY: fleet
fleet: ## test the module fleet, but for the clouds' clients: eight workers, three killed, give what one machine gives (a minute)
	cd fleet && $(GO) vet . ./internal/... && $(GO) test $(TESTFLAGS) . ./internal/...

.PHONY: fleet-clouds
fleet-clouds: ## test the module fleet with the clouds' clients, and build bin/simrun-fleet (the first build takes minutes)
	cd fleet && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./clouds && $(GO) build -ldflags='-X testing.testBinary=1' -o ../bin/simrun-fleet ./cmd/simrun

# RUNS= is the number of schedules.
RUNS ?= 200000
.PHONY: fleet-long
fleet-long: ## test the same eight workers with RUNS schedules (some minutes)
	cd fleet && LOCKPICK_FLEET=$(RUNS) $(GO) test -timeout 4h -count 1 -v -run '^TestDemonstration$$' $(TESTFLAGS) .

.PHONY: bench-fleet
bench-fleet: ## measure a fleet: merging 10^8 schedules, and what the queue costs on one machine beside simrun run (some minutes)
	cd fleet && $(GO) test -run '^$$' -bench '^BenchmarkMerge$$' -benchtime 1x $(TESTFLAGS) .
	@GO="$(GO)" tools/fleet-overhead.sh

.PHONY: race
race: ## run the tests under the race detector (needs gcc)
	$(GO) test -race -tags invariants $(TESTFLAGS) ./...

.PHONY: bench
bench: ## run the benchmarks (MODULE=mysql: of that module)
	cd $(MODULE) && $(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(TESTFLAGS) ./...

.PHONY: bench-search
bench-search: ## measure how soon each strategy finds each bug, into docs/search.md (half an hour; without -bounds=false also the smallest bound of each: hours)
	cd bench && $(GO) run ./search -seeds 40 -bounds=false -bugs failover-loss,gc-pause,two-step-release -o ../docs/search.md

.PHONY: bench-search-faults
bench-search-faults: ## measure the same for the bugs of the other scenarios, into docs/search-faults.md (a quarter of an hour)
	cd bench && $(GO) run ./search -seeds 30 -bugs holder-crash,clock-skew,server-clock-jump,lost-reply,late-reply,late-request,hung-node,partition,node-restart,cancel,watchdog-late,lost-wakeup -o ../docs/search-faults.md

.PHONY: bench-search-storm
bench-search-storm: ## measure the same for planted bugs that need faults of two kinds, into docs/search-storm.md (some minutes)
	cd bench && $(GO) run ./search -seeds 40 -bounds=false -bugs storm -strategies random,guided,pos,portfolio -o ../docs/search-storm.md

.PHONY: confirm
confirm: ## make the counterexamples of the corpus happen on real servers, three tries each (two minutes)
	cd real && $(GO) run ./internal/confirmed -tries 3

.PHONY: bench-confirm
bench-confirm: ## do so in 20 tries each, and with the track record, into docs/confirm.md (some hours)
	cd real && $(GO) run ./internal/confirmed -tries 20 -limit 5m -of all -o ../docs/confirm.md

.PHONY: bench-checker
bench-checker: ## measure the monitors against porcupine, into docs/checking.md (some minutes)
	cd bench && $(GO) run ./checker -o ../docs/checking.md

.PHONY: bench-locks
bench-locks: ## measure the locks on a real Redis beside other libraries, into docs/locks.md (some minutes)
	cd bench/locks && $(GO) run . -o ../../docs/locks.md

# With QUICK=1 a part of it, into a file of its own. A run that was interrupted goes on.
QUICK ?=
LOCKBENCHFLAGS ?=
.PHONY: lockbench
lockbench: ## find known bugs by Lockpick and by stress tests on real servers (two hours and a half; QUICK=1 ten minutes; needs the servers of all stores), into bench/lockbench/results.json
	cd bench/lockbench && $(GO) build -ldflags='-X testing.testBinary=1' -o ../../bin/lockbench/lockbench . && \
	../../bin/lockbench/lockbench run $(if $(QUICK),-quick -o quick.json,-o results.json) $(LOCKBENCHFLAGS)

.PHONY: lockbench-page
lockbench-page: ## write docs/lockbench.md from these results (QUICK=1 from those of a quick run)
	cd bench/lockbench && $(GO) run . page -i $(if $(QUICK),quick.json,results.json)

.PHONY: lab-costs
lab-costs: ## measure how long requests take real servers, into lab/experiments/costs_measured.go (two minutes)
	cd lab && $(GO) run ./cmd/labcosts -o experiments/costs_measured.go

.PHONY: experiments
experiments: ## run all experiments, in virtual time and on real servers, into docs/experiments.md (LABFLAGS= for the program)
	cd lab && $(GO) run ./cmd/labpage -o ../docs/experiments.md $(LABFLAGS)

.PHONY: which-lock
which-lock: ## simulate all sound locks under contention, into docs/locks.md (a minute)
	cd lab && $(GO) run ./cmd/whichlock -o ../docs/locks.md

.PHONY: adoption
adoption: ## search published libraries as they are (examples/adoption), into docs/adoption.md (half an hour)
	cd examples/adoption && $(GO) build -ldflags='-X testing.testBinary=1' -o ../../bin/adoption .
	bin/adoption page 64 > bin/adoption.md && mv bin/adoption.md docs/adoption.md

.PHONY: screens
screens: ## make the pictures of the README and of docs/matrix.md (some minutes; needs a Chromium, CHROMIUM= names it)
	@GO="$(GO)" tools/screens.sh

.PHONY: fuzz
fuzz: ## run every fuzz test for FUZZTIME
	@GO="$(GO)" tools/fuzz.sh $(FUZZTIME)

.PHONY: lint
lint: ## run golangci-lint, which includes staticcheck (the first run builds it), and check the architecture
	LOCKPICK_SLOW=1 $(GO) test ./internal/test/arch
	$(LINT) run
	cd etcd && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd lab && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd real && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd zookeeper && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd mysql && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd postgres && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd kube && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd s3 && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd playground && $(GO) tool -modfile=../tools/go.mod golangci-lint run
	cd etcd/store && $(GO) tool -modfile=../../tools/go.mod golangci-lint run
	cd fleet && $(GO) tool -modfile=../tools/go.mod golangci-lint run . ./internal/...
	cd tools/viewer && $(GO) tool -modfile=../go.mod golangci-lint run
	cd site && $(GO) tool -modfile=../tools/go.mod golangci-lint run

.PHONY: api
api: ## compare the public packages with the last release (api/ has all that is promised)
	@GO="$(GO)" tools/api.sh

.PHONY: mermaid
mermaid: ## read the sequence diagrams of the tests with Mermaid's own parser (needs npm)
	cd tools/mermaid && npm ci --silent && node parse.mjs ../../traces/render/testdata/*.mmd

.PHONY: viewer
viewer: ## drive the pages in a headless Chromium and check them by axe-core (needs one, CHROMIUM= names it, and npm)
	cd tools/viewer && npm ci --silent && $(GO) vet ./... && $(GO) test -timeout 20m -skip '^Test(Playground|Site)' $(TESTFLAGS) ./...

.PHONY: site
site: ## build the site with the playground into site/public, plain files for any static host (two minutes; the first run builds Hugo)
	cd lab && $(GO) run -ldflags='-X testing.testBinary=1' ./cmd/sitepages -o ../site/generated
	cd playground && $(GO) run -ldflags='-X testing.testBinary=1' ./build -go "$(GO)" -o ../site/generated/static/playground
	cd site && $(GO) tool hugo --quiet --cleanDestinationDir

.PHONY: site-links
site-links: site ## build the site, and look for broken links
	cd site && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

.PHONY: site-browser
site-browser: ## look at the site that was built in a headless Chromium: what axe finds, widths, the search (needs npm and a Chromium; CHROMIUM= names it)
	cd tools/viewer && npm ci --silent && $(GO) test -timeout 20m $(TESTFLAGS) -run '^TestSite' ./...

.PHONY: certified
certified: build ## search the cells of lab/cmd/certified/cells.txt exhaustively, verify their certificates, and write docs/certified.md (six minutes)
	cd lab && $(GO) run -ldflags='-X testing.testBinary=1' ./cmd/certified

# Plain files for any static host.
PLAYGROUND ?= bin/playground
.PHONY: playground
playground: ## build the playground, Lockpick in a browser, into PLAYGROUND (bin/playground)
	cd playground && $(GO) run -ldflags='-X testing.testBinary=1' ./build -go "$(GO)" -o "$(abspath $(PLAYGROUND))"

.PHONY: playground-test
playground-test: playground ## drive the playground in a headless Chromium, and compare its hashes with this machine's (needs one; CHROMIUM= names it)
	cd tools/viewer && PLAYGROUND="$(abspath $(PLAYGROUND))" $(GO) test -run '^TestPlayground' $(TESTFLAGS) ./...

.PHONY: doctor
doctor: build ## check that runs are deterministic on this machine
	bin/simrun doctor $(DOCTORFLAGS)

.PHONY: doctor-race
doctor-race: build ## compare runs with those of the race detector's build, which schedules goroutines otherwise (needs gcc)
	cd lab && ../bin/simrun doctor --race $(DOCTORFLAGS)

.PHONY: matrix
matrix: build ## search every lock under every scenario and compare with what is expected (some minutes)
	bin/simrun matrix $(MATRIXFLAGS)

.PHONY: update
update: ## rewrite the golden files; review the diff
	@set -ex; for module in . lab real zookeeper mysql postgres kube s3; do (cd $$module && \
	packages=$$($(GO) list -f '{{join .TestImports " "}} {{join .XTestImports " "}} {{.ImportPath}}' ./... | sed -n 's,.*/internal/test/golden .* ,,p') && \
	{ [ -z "$$packages" ] || $(GO) test $(TESTFLAGS) $$packages -update; }); done; \
	(cd etcd && $(GO) test $(TESTFLAGS) ./cmd/simrun -update); cd fleet && $(GO) test $(TESTFLAGS) -run Forecast . -update
