import RoomDelivery

extension HTTPFront {
    /// The peer that asks for a WebSocket or an event stream, if all rules let the request pass that hold for others,
    /// too.
    ///
    /// - Parameter slot: that of the connection.
    func streamPeer(_ request: HTTPRequest, from peer: HTTPPeer, in slot: HTTPLoad.Slot) throws(Problem) -> StreamPeer {
        let caller = self.caller(request, peer)
        if let problem = self.refusal(of: request, from: caller, in: slot) { throw problem }
        return StreamPeer(
            address: caller.address,
            page: WebPage(request, isOnThisMachineOnly: self.isOnThisMachineOnly && request.isOfBrowser),
            isTLS: peer.transport == .tls
        )
    }
}
