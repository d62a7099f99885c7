/// How far a workload is, for people who wait.
package struct BenchProgress: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case connecting(done: Int, of: Int)
        case warmingUp
        /// From 1 on.
        case round(Int, of: Int)
        case atRest
        case closing
    }

    package let workload: Workload
    package let step: Step
    /// Operations since it told last.
    package let operationsPerSecond: Double
}
