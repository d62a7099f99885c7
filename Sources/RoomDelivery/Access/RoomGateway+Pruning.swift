package import RoomModel

extension RoomGateway {
    package func pruned(_ room: RoomKey, through place: Position) async {
        await self.ask(self.owner(of: room)) { $0.owner.pruned(room, through: place) }
    }
}
