import NIOConcurrencyHelpers
import RoomModel

/// The account of a user or a connection: how much slow patterns have cost, and which were given up for it. All tokens of a user have one account, so that another token
/// does not renew what may be spent; a token that names no user has the account of the one that its connection showed before.
final class PatternAccount: Sendable {
    private struct State {
        var givenUp: Set<ExpressionText> = []
        /// The patterns for the engine are given up, whichever they are.
        var isSpent = false
        /// The time that slow evaluations have cost, in nanoseconds.
        var slow: UInt64 = 0
        /// Unix seconds.
        var begun: Int64

        mutating func giveUp(_ text: ExpressionText) {
            self.givenUp.insert(text)
            if self.givenUp.count > TokenLimits.givenUp { self.isSpent = true }
        }
    }

    private let state: NIOLockedValueBox<State>

    init(now: Int64 = 0) {
        self.state = NIOLockedValueBox(State(begun: now))
    }

    /// Another token is shown, at so many Unix seconds.
    func tokenShown(now: Int64) {
        self.state.withLockedValue { state in
            // a clock that was set back must not keep it from beginning anew
            guard now < state.begun || now - state.begun >= TokenLimits.accountPeriod else { return }
            state = State(begun: now)
        }
    }

    func hasGivenUp(_ text: ExpressionText) -> Bool {
        self.state.withLockedValue { $0.isSpent || $0.givenUp.contains(text) }
    }

    func giveUp(_ text: ExpressionText) {
        self.state.withLockedValue { $0.giveUp(text) }
    }

    /// A member that names many rooms, each of them slow to find out about, has the patterns given up.
    func count(slow cost: UInt64) {
        self.state.withLockedValue { state in
            state.slow += cost
            if state.slow > TokenLimits.slowTotal { state.isSpent = true }
        }
    }
}

/// The accounts of a channel's users, those that have shown a token lately.
final class PatternAccounts: Sendable {
    private let accounts = NIOLockedValueBox(RecentValues<String, PatternAccount>(capacity: TokenLimits.accounts))

    /// - Parameters:
    ///   - earlier: the account of the token before; `nil`: there was none.
    ///   - now: Unix seconds.
    func account(of user: String?, after earlier: PatternAccount?, now: Int64) -> PatternAccount {
        let account = user.map { self.account(of: $0, now) } ?? earlier ?? PatternAccount(now: now)
        account.tokenShown(now: now)
        return account
    }

    private func account(of user: String, _ now: Int64) -> PatternAccount {
        self.accounts.withLockedValue { accounts in
            if let known = accounts.find(user) { return known }
            let account = PatternAccount(now: now)
            accounts.keep(account, for: user)
            return account
        }
    }
}
