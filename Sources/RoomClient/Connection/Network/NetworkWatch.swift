/// Tells the client that a connection may be possible now, or that the present one may be dead.
protocol NetworkWatch: Sendable {
    /// - Parameter onChange: called on any thread, until ``stop()``.
    func start(_ onChange: @escaping @Sendable () -> Void)
    func stop()
}
