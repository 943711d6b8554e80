// Package controllerruntime makes controller-runtime's manager, unmodified, elect its leader against the simulated API servers of
// package kube. It is a module of its own: controller-runtime is large. [Options] has the options of a manager for a run, which a
// program gives to manager.New with the configuration of clientgo.Config:
//
//	Main: func(p *locktest.Process) error {
//		config := clientgo.Config(p)
//		options, err := controllerruntime.Options(config, "default", "leader", fmt.Sprint(p.Name(), "_", p.Life()))
//		if err != nil {
//			return err
//		}
//		options.LeaderElectionReleaseOnCancel = true // and what else your operator sets
//		m, err := manager.New(config, options)
//		...
//		err = m.Start(p.Context()) // no signal handler
//		...
//	},
//
// Start returns an error when the manager has lost its Lease, and does not wait for the runnables that it has started: in a cluster, the
// process should end then. In a run, an error of Main is a finding, so Main makes another manager instead. Package operators has an
// example.
//
// # What it does not do
//
// The servers have Leases alone. All other requests are refused by name, such as those of informers and of recorders of events, so that
// a controller that watches objects cannot run; a runnable that is given to Manager.Add can. Webhooks, which need a listener, are not
// served. Package clientgo says what an elector's clock is.
//
// # Threads
//
// A manager belongs to its process.
package controllerruntime
