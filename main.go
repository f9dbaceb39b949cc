// Command standup brings a Flux-run Kubernetes cluster from cold to converged.
package main

func main() {}
